// Access against the naive model after each of many random changes, 10,000 of them at night.

import t from 'tap';
import type { Access } from '../../src/access/access.ts';
import type { AccessChange, AccessPairs } from '../../src/access/change.ts';
import type {
  AccessType,
  MemberSpace,
  PolicyFamily,
} from '../../src/declare/kinds/access-vocabulary.ts';
import {
  bindBit,
  dialBit,
  familySides,
  policyFamilies,
} from '../../src/declare/kinds/access-vocabulary.ts';
import type { Budget } from '../../src/filter/scope.ts';
import { NaiveAccess, naiveMatch } from '../access/naive-access.ts';
import { UnstoredAccess } from '../access/unstored-access.ts';
import { isNightly, modelSeeds } from '../campaigns.ts';
import type { Change } from './random-access.ts';
import {
  applyToModel,
  inverseOf,
  memberSpaces,
  policySlots,
  randomChange,
  randomOf,
  slotsOf,
} from './random-access.ts';

const seeds = modelSeeds({ usual: 2, nightly: 4 });
const changesCount = isNightly ? 2500 : 500;
const unlimited: Budget = { spend() {} };

for (const seed of seeds) {
  t.test(`seed ${seed}`, async (t) => {
    const random = randomOf(seed);
    const model = new NaiveAccess();
    // A bound of 3 remembered classes makes forgetting part of what is tested.
    const access = new UnstoredAccess(seed % 2 === 0 ? 3 : 1000);
    const differences: string[] = [];
    for (let step = 0; step < changesCount && differences.length === 0; step++) {
      const change = randomChange(model, random);
      const before = linksOf(model);
      const fed = applyToAccess(access, change);
      applyToModel(model, change);
      differences.push(...feedDifferences(before, linksOf(model), fed));
      differences.push(...answerDifferences(access, model));
      if (random(10) === 0) differences.push(...rollbackDifferences(access, model, random));
      if (differences.length > 0) {
        differences.unshift(`after step ${step}: ${JSON.stringify(change)}`);
      }
    }
    t.same(differences, [], `replay: EDGE_SEED=${seed} npm test test/model/access.test.ts`);
  });
}

function applyToAccess(access: Access, change: Change): AccessChange {
  if (change.what === 'policy') {
    return access.changePolicy(change.family, change.slot, change.before, change.after);
  }
  const id = change.before?.id ?? change.after?.id ?? '';
  const { space, slot, before, after } = change;
  return access.changeMember(space, slot, id, before?.attributes, after?.attributes);
}

/** A few more changes, then their inverses backwards: every count and answer must be as before. */
function rollbackDifferences(
  access: Access,
  model: NaiveAccess,
  random: (below: number) => number,
): string[] {
  const counts = JSON.stringify(memberSpaces.map((space) => access.counts(space)));
  const done: Change[] = [];
  for (let count = 1 + random(6); count > 0; count--) {
    const change = randomChange(model, random);
    applyToAccess(access, change);
    applyToModel(model, change);
    done.push(change);
  }
  for (const change of done.reverse()) {
    applyToAccess(access, inverseOf(change));
    applyToModel(model, inverseOf(change));
  }
  const after = JSON.stringify(memberSpaces.map((space) => access.counts(space)));
  const differences = answerDifferences(access, model).map((text) => `rolled back: ${text}`);
  if (after !== counts) differences.push(`rolled back: counts ${counts} became ${after}`);
  return differences;
}

/** Every (policy, type, identity, service) that service policies link, as text. */
function linksOf(model: NaiveAccess): Set<string> {
  const links = new Set<string>();
  for (const [slot, policy] of model.policies.servicePolicy) {
    const services = model.membersOf('servicePolicy', slot, 'service');
    for (const identity of model.membersOf('servicePolicy', slot, 'identity')) {
      for (const service of services) links.add(`${slot} ${policy.type} ${identity} ${service}`);
    }
  }
  return links;
}

/** The feed must name exactly the links that went and came, and their identities. */
function feedDifferences(
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
  fed: AccessChange,
): string[] {
  const lost = [...before].filter((link) => !after.has(link));
  const gained = [...after].filter((link) => !before.has(link));
  const touched = [...lost, ...gained].map((link) => Number(link.split(' ')[2]));
  return [
    ...compare('lost', expand(fed.lost), lost.sort()),
    ...compare('gained', expand(fed.gained), gained.sort()),
    ...compare('identities', [...fed.identities().slots()], unique(touched)).filter(
      () => !unique(touched).every((slot) => fed.identities().slots().includes(slot)),
    ),
  ];
}

function expand(pairs: readonly AccessPairs[]): string[] {
  const links = new Set<string>();
  for (const { policy, type, identities, services } of pairs) {
    for (const group of [identities, services]) {
      if (group.most() < group.slots().length) links.add(`${policy} holds more than it says`);
    }
    for (const identity of identities.slots()) {
      for (const service of services.slots()) {
        links.add(`${policy} ${type} ${identity} ${service}`);
      }
    }
  }
  return [...links].sort();
}

/** Everything that can be asked, against the model. */
function answerDifferences(access: Access, model: NaiveAccess): string[] {
  return [
    ...pairDifferences(access, model),
    ...policyDifferences(access, model),
    ...memberSpaces.flatMap((space) => spaceDifferences(access, model, space)),
  ];
}

function pairDifferences(access: Access, model: NaiveAccess): string[] {
  const differences: string[] = [];
  const seenBy: number[][] = Array.from({ length: slotsOf.service }, () => []);
  const routersOfService = slots('service').map((slot) => model.routersOf('service', slot));
  for (const identity of slots('identity')) {
    const visible: [number, number][] = [];
    const routers = model.routersOf('identity', identity);
    differences.push(
      ...compare(
        `routers of identity ${identity}`,
        access.routers.of('identity', identity),
        routers,
      ),
    );
    for (const service of slots('service')) {
      const pair = `${identity} → ${service}`;
      let bits = 0;
      for (const type of ['Dial', 'Bind'] satisfies AccessType[]) {
        const links = model.linking(identity, service, type);
        if (links.length > 0) bits |= type === 'Dial' ? dialBit : bindBit;
        const found = access.permissions.linking(identity, service, type);
        differences.push(...compare(`${type} links ${pair}`, found, links));
      }
      if (bits !== 0) visible.push([service, bits]);
      if (bits !== 0) seenBy[service]?.push(identity);
      const asked = [access.mayDial(identity, service), access.mayBind(identity, service)];
      const expected = [(bits & dialBit) !== 0, (bits & bindBit) !== 0];
      differences.push(...compare(`permissions ${pair}`, asked, expected));
      const shared = routers.filter((slot) => routersOfService[service]?.includes(slot));
      const usable = access.routers.usable(identity, service);
      differences.push(...compare(`routers ${pair}`, usable, shared));
      if (access.routers.hasUsable(identity, service) !== shared.length > 0) {
        differences.push(`has a router ${pair}`);
      }
    }
    const found = access.permissions.visible(identity);
    const list = [...found.slots].map((slot, at) => [slot, found.bits[at] ?? 0]);
    differences.push(...compare(`services of ${identity}`, list, visible));
    for (const type of ['Dial', 'Bind'] satisfies AccessType[]) {
      const bit = type === 'Dial' ? dialBit : bindBit;
      const expected = visible.flatMap(([service, bits]) => ((bits & bit) === 0 ? [] : [service]));
      const { lookups } = access;
      const policies = () =>
        lookups.policiesOf('identity', identity, 'servicePolicy', unlimited, type);
      differences.push(
        ...walkDifferences(`${type} services of ${identity}`, expected, {
          walk: lookups.membersOf('servicePolicy', policies(), 'service', unlimited),
          count: (enough) => lookups.countMembers('servicePolicy', policies(), 'service', enough),
        }),
      );
    }
  }
  for (const service of slots('service')) {
    const found = access.identitiesOf(service);
    // `all` may be said of a service that every identity sees; a deleted service has none.
    differences.push(
      ...compare(`identities of ${service}`, found.slots(), seenBy[service] ?? []),
      ...compare(
        `routers of service ${service}`,
        access.routers.of('service', service),
        routersOfService[service] ?? [],
      ),
    );
  }
  return differences;
}

function policyDifferences(access: Access, model: NaiveAccess): string[] {
  const differences: string[] = [];
  for (const family of policyFamilies) {
    for (const side of familySides[family]) {
      for (let slot = 0; slot < policySlots; slot++) {
        const expected = model.membersOf(family, slot, side);
        const found = access.membersOf(family, slot, side);
        differences.push(...compare(`${family} ${slot} ${side}`, found, expected));
        const { lookups } = access;
        differences.push(
          ...walkDifferences(`${family} ${slot} ${side}`, expected, {
            walk: lookups.membersOf(family, [slot], side, unlimited),
            count: (enough) => lookups.countMembers(family, [slot], side, enough),
          }),
        );
        const most = lookups.mostMembers(family, slot, side);
        if (most < expected.length) differences.push(`most ${family} ${slot} ${side}: ${most}`);
        for (const member of slots(side)) {
          const reasons = access.matchOf(family, slot, side, member, 1000)?.matchedBy.shown ?? [];
          if (reasons.length > 0 !== expected.includes(member)) {
            differences.push(`why ${family} ${slot} selects ${side} ${member}: ${reasons}`);
          }
        }
      }
      for (const member of slots(side)) {
        const expected = model.policiesOf(side, member, family);
        const found = access.policiesOf(side, member, family);
        differences.push(...compare(`${family} of ${side} ${member}`, found, expected));
        const { lookups } = access;
        differences.push(
          ...walkDifferences(`${family} of ${side} ${member}`, expected, {
            walk: lookups.policiesOf(side, member, family, unlimited),
            count: () => lookups.countPolicies(side, member, family, unlimited),
          }),
        );
      }
      differences.push(...unionDifferences(access, model, family, side));
    }
  }
  return differences;
}

/** A walk tells each once; a count is right, or says that there are enough. */
function walkDifferences(
  what: string,
  expected: readonly number[],
  { walk, count }: { walk: Iterable<number>; count(enough: number): number | undefined },
): string[] {
  const found = [...walk].sort((left, right) => left - right);
  const wrong = [1, 3, Number.POSITIVE_INFINITY].filter((enough) => {
    const counted = count(enough) ?? expected.length;
    return counted !== expected.length && (counted < enough || expected.length < enough);
  });
  return [
    ...compare(`walk: ${what}`, found, expected),
    ...wrong.map((enough) => `count up to ${enough}: ${what}: ${count(enough)}`),
  ];
}

/** The unions over several policies and over several members, none and absent ones among them. */
function unionDifferences(
  access: Access,
  model: NaiveAccess,
  family: PolicyFamily,
  side: MemberSpace,
): string[] {
  const differences: string[] = [];
  for (const policies of [[], [0], [1, 3], [0, 1, 2, 3, 4, 5]]) {
    const expected = policies.flatMap((slot) => model.membersOf(family, slot, side));
    const found = access.membersOfAny(family, policies, side);
    differences.push(...compare(`${side} of any ${family} ${policies}`, found, unique(expected)));
    const { lookups } = access;
    differences.push(
      ...walkDifferences(`${side} of any ${family} ${policies}`, unique(expected), {
        walk: lookups.membersOf(family, policies, side, unlimited),
        count: (enough) => lookups.countMembers(family, policies, side, enough),
      }),
    );
  }
  for (const members of [[], slots(side), slots(side).filter((slot) => slot % 3 === 0)]) {
    const expected = members.flatMap((slot) => model.policiesOf(side, slot, family));
    const found = access.policiesOfAny(side, members, family);
    differences.push(...compare(`${family} of any ${side} ${members}`, found, unique(expected)));
  }
  return differences;
}

function spaceDifferences(access: Access, model: NaiveAccess, space: MemberSpace): string[] {
  const counts = new Map<string, number>();
  for (const { attributes } of model.members[space].values()) {
    for (const name of new Set(attributes)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const used = [...counts].sort().map(([name, members]) => ({ name, members }));
  const roles = ['#a', '#b', `@${space}3`];
  const chosen = [...model.members[space]].filter(([, member]) =>
    naiveMatch('AllOf', roles, member),
  );
  return [
    ...compare(`attributes of ${space}`, access.attributesOf(space), used),
    ...compare(
      `role filter on ${space}`,
      access.select(space, 'AllOf', roles),
      unique(chosen.map(([slot]) => slot)),
    ),
  ];
}

function slots(space: MemberSpace): number[] {
  return Array.from({ length: slotsOf[space] }, (_, slot) => slot);
}

function unique(list: readonly number[]): number[] {
  return [...new Set(list)].sort((left, right) => left - right);
}

function compare(what: string, found: Iterable<unknown>, expected: readonly unknown[]): string[] {
  const left = JSON.stringify([...found]);
  const right = JSON.stringify(expected);
  return left === right ? [] : [`${what}: ${left} instead of ${right}`];
}
