// The settings of a cluster: off by default, read from all sources, and refused where they cannot
// work together.

import { readFileSync } from 'node:fs';
import { t } from 'tap';
import { readArguments } from '../../src/commands/arguments.ts';
import { type ConfigSources, loadConfig } from '../../src/settings/config.ts';

function load(file: object, more: Partial<ConfigSources> = {}) {
  return loadConfig({
    flags: {},
    environment: {},
    directory: '/work',
    cores: 4,
    readFile: () => JSON.stringify(file),
    ...more,
  });
}

const near = { servers: ['127.0.0.1:4222'], listen: '127.0.0.1:1290' };

t.test('without servers there is no cluster', async (t) => {
  t.equal(load({}).cluster, undefined);
  t.equal(load({ cluster: { replicas: 1, reads: 'confirmed' } }).cluster, undefined);
});

t.test('one server and an address suffice on one machine', async (t) => {
  t.same(load({ cluster: near }).cluster, {
    servers: [{ host: '127.0.0.1', port: 4222 }],
    monitoring: [],
    credentials: undefined,
    tls: undefined,
    listen: { host: '127.0.0.1', port: 1290 },
    advertise: { host: '127.0.0.1', port: 1290 },
    replicas: 3,
    clockSkewMs: 500,
    leaderWaitMs: 10_000,
    leads: 'elected',
    reads: 'lease',
  });
});

t.test('every setting has a flag and a variable', async (t) => {
  const expected = {
    name: 'north-1',
    servers: [
      { host: 'n1.example', port: 4222 },
      { host: '::1', port: 4223 },
    ],
    monitoring: [{ host: 'n1.example', port: 8222 }],
    credentials: '/work/node.creds',
    tls: { ca: '/work/ca.pem', own: { certificate: '/work/own.pem', key: '/work/own.key' } },
    listen: { host: '0.0.0.0', port: 1290 },
    advertise: { host: 'a.example', port: 0 },
    replicas: 5,
    clockSkewMs: 100,
    leaderWaitMs: 0,
    leads: 'never',
    reads: 'confirmed',
  };
  const given = {
    'cluster-name': 'north-1',
    'cluster-servers': 'n1.example:4222, [::1]:4223',
    'cluster-monitoring': 'n1.example:8222',
    'cluster-credentials': 'node.creds',
    'cluster-tls-ca': 'ca.pem',
    'cluster-tls-certificate': 'own.pem',
    'cluster-tls-key': 'own.key',
    'cluster-listen': '0.0.0.0:1290',
    'cluster-advertise': 'a.example:0',
    'cluster-replicas': '5',
    'cluster-clock-skew-ms': '100',
    'cluster-leader-wait-ms': '0',
    'cluster-leads': 'never',
    'cluster-reads': 'confirmed',
  };
  const words = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]);
  const read = readArguments(['run', ...words]);
  if (read.command !== 'run') throw new Error('the flags are unknown');
  t.same(load({}, { flags: read.flags }).cluster, expected);
  const environment = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      `EDGE_${name.replaceAll('-', '_').toUpperCase()}`,
      value,
    ]),
  );
  t.same(load({}, { environment }).cluster, expected);
});

t.test('values that no server has', async (t) => {
  const wrong = ['', 'n1', 'nats://n1:4222', 'n1:4222,', ['n1:4222', 7], 7, Array(65).fill('n:1')];
  for (const servers of wrong) {
    t.throws(() => load({ cluster: { ...near, servers } }), {
      message: /^cluster\.servers in .* must be a list of HOST:PORT/,
    });
  }
});

t.test('settings that do not go together', async (t) => {
  const far = { servers: 'n1.example:4222', listen: '10.0.0.1:1290' };
  const cases: readonly (readonly [object, string])[] = [
    [
      { cluster: { listen: '127.0.0.1:1290' } },
      'cluster.listen is set but cluster.servers is not.',
    ],
    [{ cluster: { tls: { ca: 'ca.pem' } } }, 'cluster.tls.ca is set but cluster.servers is not.'],
    [{ cluster: { name: 'north' } }, 'cluster.name is set but cluster.servers is not.'],
    [
      { cluster: { ...near, name: 'north pole' } },
      'cluster.name is "north pole" but must be 1 to 64 letters, digits, dots, hyphens and underscores, with a letter or digit first.',
    ],
    [
      { cluster: { servers: near.servers } },
      'cluster.servers is set but cluster.listen is not: the other nodes reach this one there.',
    ],
    ...[2, 4].map((replicas): readonly [object, string] => [
      { cluster: { ...near, replicas } },
      `cluster.replicas is ${replicas} but must be 1, 3 or 5: an even number survives no more failures than the odd one below it.`,
    ]),
    [
      { cluster: far },
      'cluster.servers names n1.example:4222, which is another machine, but cluster.tls.ca is not set: the connection would not be encrypted.',
    ],
    [
      { cluster: { ...near, tls: { key: 'own.key' } } },
      'cluster.tls.certificate and cluster.tls.key only make sense together.',
    ],
    [
      { cluster: { ...near, tls: { key: 'own.key', certificate: 'own.pem' } } },
      'cluster.tls.certificate is set but cluster.tls.ca is not.',
    ],
    [
      { cluster: { ...near, listen: '0.0.0.0:1290' } },
      'cluster.listen is 0.0.0.0:1290, which names no machine: set cluster.advertise, too.',
    ],
    [
      { cluster: { ...far, tls: { ca: 'ca.pem' }, advertise: 'localhost:1290' } },
      'cluster.advertise is localhost:1290, which no other machine can reach, but cluster.listen is 10.0.0.1:1290: name an address that the other nodes can reach.',
    ],
    [
      { cluster: near, durability: 'memory' },
      'durability is memory, but a node of a cluster always keeps a log: leave durability out.',
    ],
    [
      { cluster: near, directListen: '127.0.0.1:1299' },
      'directListen is set, but a node of a cluster has no direct listener, because a follower could not relay its connections: leave it out.',
    ],
    [
      { cluster: { ...near, listen: '127.0.0.1:1280' } },
      'cluster.listen and listen have the same port 1280.',
    ],
    [
      { cluster: { ...near, listen: '127.0.0.1:9464' }, metrics: { listen: '127.0.0.1:9464' } },
      'cluster.listen and metrics.listen have the same port 9464.',
    ],
  ];
  for (const [file, message] of cases) t.throws(() => load(file), { message });
  t.throws(() => load({ cluster: near }, { flags: { recoverTo: '7' } }), {
    message: /^--recover-to cuts only the log of this node/,
  });
  const flags = { force: true } as unknown as Record<string, string>;
  t.equal(load({ cluster: near }, { flags }).force, true);
  t.equal(load({ cluster: near }).force, false);
  t.equal(load({}, { flags }).force, true, 'without a cluster it is about foreign files');
  t.ok(load({ cluster: { ...near, listen: '127.0.0.1:0' }, listen: '127.0.0.1:0' }).cluster);
});

t.test('the example is a configuration', async (t) => {
  const path = new URL('../../examples/cluster/config.json', import.meta.url);
  const { cluster } = load(JSON.parse(readFileSync(path, 'utf8')));
  t.equal(cluster?.servers.length, 3);
  t.same(cluster?.advertise, { host: 'n1.example', port: 1290 });
});
