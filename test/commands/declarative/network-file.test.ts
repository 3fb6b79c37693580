// Files of networks: every fault is found, with its place, before a controller is asked.

import { t } from 'tap';
import { danglingFaults, faultText } from '../../../src/commands/declarative/file-entries.ts';
import { readNetworkFile } from '../../../src/commands/declarative/network-file.ts';

const faultsOf = (text: string): string[] =>
  readNetworkFile(text, 'own').faults.map((fault) => faultText(fault));

t.test('a good file', async (t) => {
  const text = `
version: 1
configs:
  - name: web.host
    configType: host.v1
    data: { protocol: tcp, address: localhost, port: 80 }
services:
  - name: web
    configs: [web.host]
    roleAttributes: [public]
identities: []
`;
  const { entries, sections, faults } = readNetworkFile(text, 'own');
  t.same(faults, []);
  t.same([...sections], ['configs', 'services', 'identities']);
  t.same(
    entries.map(({ section, name }) => `${section.name}/${name}`),
    ['configs/web.host', 'services/web'],
  );
  t.same(entries[1]?.fields, { configs: ['web.host'], roleAttributes: ['public'] });
});

t.test('JSON is read like YAML', async (t) => {
  const { entries, faults } = readNetworkFile('{"services":[{"name":"web"}]}', 'own');
  t.same(faults, []);
  t.equal(entries[0]?.name, 'web');
});

t.test('every fault is found', async (t) => {
  const text = `version: 2
servces: []
services:
  - name: web
    maxIdleTimeMillis: soon
    colour: red
  - name: web
  - roleAttributes: [a]
  - 7
authPolicies:
  - name: strict
    primary:
      cert: { allowed: "yes" }
      updb: { attempts: 3 }
identities: none
`;
  t.matchOnly(faultsOf(text), [
    /^version \(line 1\): must be 1: 2$/,
    /^servces \(line 2\): is no section; sections are configTypes, /,
    /^services\[0\]\.colour \(line 6\): is no field of services; fields are name, /,
    /^services\[2\]\.name \(line 8\): must be a text that is not blank$/,
    /^services\[3\] \(line 9\): must be an object: 7$/,
    /^identities \(line 15\): must be a list: "none"$/,
    /^services\[1\]\.name \(line 7\): stands in this section twice: "web"$/,
    /^services\[0\]\.maxIdleTimeMillis \(line 5\): must be integer: "soon"$/,
    /^authPolicies\[0\]\.primary\.cert\.allowed \(line 13\): must be boolean: "yes"$/,
    /^authPolicies\[0\]\.primary\.updb\.attempts \(line 14\): is no field here$/,
  ]);
});

t.test('what is no YAML says where', async (t) => {
  t.match(faultsOf('services:\n  - name: a\n  name: b\n')[0], /\(line \d\): /);
  t.match(faultsOf('services: []\nservices: []\n')[0], /\(line 2\): Map keys must be unique/);
  t.match(faultsOf('just words')[0], /must be an object with sections/);
  t.match(faultsOf('')[0], /must be an object with sections/);
});

t.test('aliases that grow without bound are refused', async (t) => {
  const levels = Array.from({ length: 12 }, (_, at) => {
    const inner = at === 0 ? 'x' : Array.from({ length: 10 }, () => `*l${at - 1}`).join(', ');
    return `l${at}: &l${at} [${inner}]`;
  });
  t.match(faultsOf(levels.join('\n'))[0], /Excessive alias count/);
});

const tooDeep = /is nested deeper than 32 levels, or contains itself by an alias$/;

t.test('what contains itself, or is nested without end, is one fault', async (t) => {
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const cases: readonly (readonly [string, string])[] = [
    ['identities:\n  - &x\n    name: a\n    appData: *x\n', 'identities[0] (line 3): '],
    ['services: &a\n  - name: x\n    tags: { b: *a }\n', 'services[0] (line 2): '],
    ['&r\nservices: *r\n', 'services: '],
    [`configs:\n  - name: a\n    data: ${deep}\n`, '(line 3): '],
    [`{"configs":[{"name":"a","data":${deep}}]}`, '(line 1): '],
  ];
  for (const [text, place] of cases) {
    const [fault = '', ...others] = faultsOf(text);
    t.ok(fault.startsWith(place), fault.slice(0, 200));
    t.match(fault, tooDeep);
    t.same(others, []);
  }
  t.same(faultsOf('&a [*a]\n'), ['must be an object with sections']);
});

t.test('a text for which the memory does not suffice is not parsed', async (t) => {
  const text = `services:\n${'  - name: a\n    tags: { b: c }\n'.repeat(1000)}`;
  const { faults } = readNetworkFile(text, 'own', 3_000_000);
  t.match(faults.map(faultText), [
    /^is too large: reading it takes some 5 MB of memory, and this process may take 3 \(NODE_OPT/,
  ]);
  t.equal(readNetworkFile(text, 'own', 6_000_000).entries.length, 1000);
});

t.test('references that name nothing', async (t) => {
  const text = `services:
  - name: web
    configs: [here, gone]
servicePolicies:
  - name: dial
    serviceRoles: ["@web", "@nothing", "#all"]
authPolicies:
  - name: strict
    primary: { extJwt: { allowedSigners: [unknown] } }
identities:
  - name: alice
    serviceHostingCosts: { elsewhere: 3 }
`;
  const file = readNetworkFile(text, 'own');
  t.same(file.faults, []);
  const known = new Set(['configs/here', 'services/web']);
  const faults = danglingFaults(file, (to, name) => known.has(`${to}/${name}`)).map(faultText);
  t.matchOnly(faults.toSorted(), [
    /^authPolicies\[0\]\.primary\.extJwt\.allowedSigners\[0\] \(line 9\): .*: "unknown"$/,
    /^identities\[0\]\.serviceHostingCosts\.elsewhere \(line 12\): .* services .*: "elsewhere"$/,
    /^servicePolicies\[0\]\.serviceRoles\[1\] \(line 6\): names nothing in services .*: "nothing"$/,
    /^services\[0\]\.configs\[1\] \(line 3\): names nothing in configs .*: "gone"$/,
  ]);
});

t.test('entries of ziti ops export lose what nobody can set', async (t) => {
  const text = JSON.stringify({
    configTypes: [{ name: 'host.v1', schema: {} }],
    services: [{ name: 'web', configs: ['@web.host'], permissions: [], roleAttributes: null }],
    configs: null,
    identities: [
      { name: 'Default Admin', isDefaultAdmin: true },
      { name: 'alice', typeId: 'Default', authPolicy: '@Default', isMfaEnabled: false },
    ],
    edgeRouterPolicies: [{ name: 'edge-router-7-system', semantic: 'AnyOf' }],
  });
  const { entries, faults } = readNetworkFile(text, 'ziti');
  t.same(faults, []);
  t.same(
    entries.map(({ name, fields }) => ({ name, ...fields })),
    [
      { name: 'web', configs: ['web.host'], roleAttributes: null },
      { name: 'alice', type: 'Default', authPolicy: 'Default' },
    ],
  );
});
