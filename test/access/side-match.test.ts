// How one role list matches one member: compared with the text of the list, and within its bound.

import t from 'tap';
import type { Access } from '../../src/access/access.ts';
import type { PolicyRoles, Semantic } from '../../src/declare/kinds/access-vocabulary.ts';
import { familySides, policyFamilies } from '../../src/declare/kinds/access-vocabulary.ts';
import {
  applyToModel,
  policySlots,
  randomChange,
  randomOf,
  slotsOf,
} from '../model/random-access.ts';
import { NaiveAccess, type NaiveMember, naiveMatch } from './naive-access.ts';
import { UnstoredAccess } from './unstored-access.ts';

function policy(semantic: Semantic, identity: readonly string[]): PolicyRoles {
  return { semantic, type: 'Dial', lists: { identity, service: ['#all'] } };
}

/** Access to one identity with these attributes, under one policy with this list. */
function meeting(semantic: Semantic, roles: readonly string[], attributes: readonly string[]) {
  const access = new UnstoredAccess(10);
  access.changeMember('identity', 0, 'alice', undefined, attributes);
  access.changePolicy('servicePolicy', 0, undefined, policy(semantic, roles));
  const match = access.matchOf('servicePolicy', 0, 'identity', 0, 2);
  if (match === undefined) throw new Error('no match');
  return match;
}

const some = (...shown: string[]) => ({ total: shown.length, shown });

t.test('what a list says of a member', async (t) => {
  const none = some();
  t.match(meeting('AllOf', ['#a', '#b'], ['a', 'x']), {
    isMatching: false,
    entries: 2,
    matchedBy: none,
    has: some('#a'),
    lacks: some('#b'),
    gone: none,
  });
  t.match(meeting('AnyOf', ['#a', '#b'], ['a', 'x']), {
    isMatching: true,
    matchedBy: some('#a'),
    has: none,
    lacks: none,
  });
  t.match(meeting('AllOf', ['#a', '#b', '@alice'], ['a']), {
    isMatching: true,
    matchedBy: some('@alice'),
    has: none,
    lacks: none,
  });
  t.match(meeting('AnyOf', ['#all'], []), {
    isMatching: true,
    entries: 1,
    matchedBy: some('#all'),
  });
  t.match(meeting('AnyOf', [], ['a']), { isMatching: false, entries: 0, lacks: none });
  t.match(meeting('AnyOf', ['@bob', '@carol'], ['a']), {
    isMatching: false,
    entries: 2,
    lacks: none,
    gone: some('@bob', '@carol'),
  });
});

t.test('names as many entries as requested, and counts all', async (t) => {
  const roles = ['#a', '#b', '#c', '@x', '@y', '@z'];
  const match = meeting('AnyOf', roles, []);
  t.match(match.lacks, { total: 3, shown: ['#a', '#b'] });
  t.match(match.gone, { total: 3, shown: ['@x', '@y'] });
  t.equal(match.lacks.shown.length, 2);
  t.match(meeting('AllOf', roles.slice(0, 3), ['a', 'b', 'c']).matchedBy, { total: 3 });
});

t.test('no policy, no answer; no member, no match', async (t) => {
  const access = new UnstoredAccess(10);
  t.equal(access.matchOf('servicePolicy', 0, 'identity', 0, 5), undefined);
  access.changePolicy('servicePolicy', 0, undefined, policy('AnyOf', ['#all']));
  t.match(access.matchOf('servicePolicy', 0, 'identity', 0, 5), { isMatching: false });
});

t.test('agrees with the text of the lists in random networks', async (t) => {
  const seed = Number(process.env['EDGE_SEED'] ?? 7);
  const random = randomOf(seed);
  const model = new NaiveAccess();
  const access = new UnstoredAccess(3);
  const differences: string[] = [];
  for (let step = 0; step < 600 && differences.length === 0; step++) {
    const change = randomChange(model, random);
    if (change.what === 'policy') {
      access.changePolicy(change.family, change.slot, change.before, change.after);
    } else {
      const { space, slot, before, after } = change;
      const id = before?.id ?? after?.id ?? '';
      access.changeMember(space, slot, id, before?.attributes, after?.attributes);
    }
    applyToModel(model, change);
    if (step % 10 === 0) differences.push(...differencesOf(access, model));
  }
  t.same(differences, [], `replay: EDGE_SEED=${seed} npm test test/access/side-match.test.ts`);
});

function differencesOf(access: Access, model: NaiveAccess): string[] {
  const found: string[] = [];
  for (const family of policyFamilies) {
    for (let at = 0; at < policySlots; at++) {
      const known = model.policies[family].get(at);
      for (const side of familySides[family]) {
        const ids = new Set([...model.members[side].values()].map(({ id }) => id));
        for (let slot = 0; slot < slotsOf[side]; slot++) {
          const member = model.members[side].get(slot);
          const real = access.matchOf(family, at, side, slot, 1000);
          if (known === undefined) {
            if (real !== undefined) found.push(`${family} ${at} is not there`);
            continue;
          }
          const roles = [...new Set(known.lists[side] ?? [])];
          const wanted = naiveSide(known.semantic, roles, member, ids);
          const is = JSON.stringify({
            isMatching: real?.isMatching,
            matchedBy: [...(real?.matchedBy.shown ?? [])].sort(),
            has: [...(real?.has.shown ?? [])].sort(),
            lacks: [...(real?.lacks.shown ?? [])].sort(),
            gone: [...(real?.gone.shown ?? [])].sort(),
          });
          if (is !== wanted) found.push(`${family} ${at} ${side} ${slot}: ${is} not ${wanted}`);
        }
      }
    }
  }
  return found;
}

/** The same from the text of the list alone. */
function naiveSide(
  semantic: Semantic,
  roles: readonly string[],
  member: NaiveMember | undefined,
  ids: ReadonlySet<string>,
): string {
  const isMatching = member !== undefined && naiveMatch(semantic, roles, member);
  const isAll = roles.includes('#all');
  const attributes = isAll ? [] : roles.filter((role) => role.startsWith('#'));
  const isOwn = (role: string) => member?.attributes.includes(role.slice(1)) ?? false;
  const own = attributes.filter(isOwn);
  const counts = semantic === 'AnyOf' || own.length === attributes.length;
  const byId = member !== undefined && !isAll && roles.includes(`@${member.id}`);
  const matchedBy = isAll ? ['#all'] : [...(counts ? own : []), ...(byId ? [`@${member.id}`] : [])];
  return JSON.stringify({
    isMatching,
    matchedBy: isMatching ? matchedBy.sort() : [],
    has: isMatching ? [] : own.sort(),
    lacks: isMatching ? [] : attributes.filter((role) => !isOwn(role)).sort(),
    gone: isAll ? [] : roles.filter((r) => r.startsWith('@') && !ids.has(r.slice(1))).sort(),
  });
}
