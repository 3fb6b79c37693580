// What of a file is compared with an entity, where lists were never set.

import t from 'tap';
import {
  changesOf,
  type Fields,
  fieldsOf,
  updateValueOf,
} from '../../../src/commands/declarative/entry.ts';
import { type SectionName, sections } from '../../../src/commands/declarative/sections.ts';
import { ownFormOf } from '../../../src/commands/declarative/ziti-format.ts';

const none = () => undefined;

function changes(name: SectionName, wanted: Fields, present: Fields) {
  return changesOf(sections[name], wanted, present).map(({ path, to }) => [path, to]);
}

t.test('a file tells which lists were never set', async (t) => {
  const told = (name: SectionName, detail: Fields) => fieldsOf(sections[name], detail, none);
  const unset = { configs: null, roleAttributes: null };
  t.same(told('services', { ...unset, terminatorStrategy: null }), unset);
  t.same(told('services', { configs: [], roleAttributes: [] }), {
    configs: [],
    roleAttributes: [],
  });
  const lists = { identityRoles: null, serviceRoles: null, postureCheckRoles: null };
  t.same(told('servicePolicies', lists), lists);
  t.same(told('certificateAuthorities', { identityRoles: null, externalIdClaim: null }), {
    identityRoles: null,
  });
  t.same(told('identities', { roleAttributes: null }), {});
  t.same(ownFormOf(sections.services, { name: 's', ...unset, maxIdleTimeMillis: null }), {
    name: 's',
    ...unset,
  });
});

t.test('lists that were never set and empty ones are the same to an update', async (t) => {
  for (const to of [null, []]) {
    for (const from of [null, [], undefined]) {
      t.same(changes('services', { roleAttributes: to }, { roleAttributes: from }), []);
    }
    t.same(changes('services', { configs: to }, { configs: ['c'] }), [['configs', []]]);
    const roles = { identityRoles: to };
    t.same(changes('certificateAuthorities', roles, { identityRoles: ['#a'] }), [
      ['identityRoles', []],
    ]);
  }
  t.same(changes('services', {}, { roleAttributes: ['a'] }), [], 'which the file does not name');
});

t.test(
  'another null of a file is not compared, unless an update unsets the field by it',
  async (t) => {
    t.same(changes('identities', { roleAttributes: null }, { roleAttributes: ['a'] }), []);
    t.same(changes('services', { terminatorStrategy: null }, { terminatorStrategy: 'random' }), []);
    const claim = { externalIdClaim: { index: 0 } };
    t.same(changes('certificateAuthorities', { externalIdClaim: null }, claim), [
      ['externalIdClaim', null],
    ]);
    t.same(updateValueOf(sections.externalJwtSigners, 'audience', null), null);
    t.same(updateValueOf(sections.edgeRouterPolicies, 'identityRoles', null), []);
  },
);

t.test('only a creation sets the target of a config type', async (t) => {
  t.ok(sections.configTypes.fixed.has('target'), 'apply must not promise to change it');
});
