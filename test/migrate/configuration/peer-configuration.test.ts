// What the peer's configuration says, and what of it is refused.

import t from 'tap';
import { FindingList } from '../../../src/migrate/configuration/findings.ts';
import { readPeerConfiguration } from '../../../src/migrate/configuration/peer-configuration.ts';
import { settings } from '../../../src/settings/settings.ts';
import fc from '../../properties.ts';

function read(text: string, variables: Readonly<Record<string, string>> = {}) {
  const findings = new FindingList();
  const order = { text, name: 'ctrl.yaml', directory: '/etc/peer', variables, findings };
  return { ...readPeerConfiguration(order), findings };
}

/** A configuration in which sections may be changed. */
function file(sections: Readonly<Record<string, string>> = {}): string {
  const whole: Record<string, string> = {
    v: 'v: 3',
    identity: 'identity: {server_cert: s.pem, key: s.key, ca: ca.pem}',
    ctrl: 'ctrl: {listener: "tls:0.0.0.0:6262"}',
    edge: 'edge: {api: {address: "c.example:1280"}, enrollment: {signingCert: {cert: i.pem, key: i.key}}}',
    web: 'web: [{bindPoints: [{interface: "0.0.0.0:1280", address: "c.example:1280"}], apis: [{binding: edge-client}]}]',
    ...sections,
  };
  return Object.values(whole).join('\n');
}

t.test('places of keys', async (t) => {
  const text = file({
    identity: `identity:
  cert: \${PKI}/client.pem
  server_cert: file:///pki/a%20server.pem
  key: |
    pem:-----BEGIN PRIVATE KEY-----
    AAAA
    -----END PRIVATE KEY-----
  server_key: pkcs11:///lib.so?pin=1
  ca: sub/ca.pem`,
  });
  const { identity, signing, findings } = read(text, { PKI: '/pki' });
  t.match(identity, {
    client: { from: 'file', path: '/pki/client.pem', place: 'identity.cert' },
    server: {
      certificate: { from: 'file', path: '/pki/a server.pem' },
      key: { from: 'module', scheme: 'pkcs11', place: 'identity.server_key' },
    },
    ca: { path: '/etc/peer/sub/ca.pem' },
  });
  t.match(signing, { certificate: { path: '/etc/peer/i.pem' }, key: { path: '/etc/peer/i.key' } });
  t.same(findings.refusals, []);
  for (const address of ['file://host/x', 'file:x']) {
    const { findings } = read(file({ identity: `identity: {ca: "${address}"}` }));
    t.match(findings.refusals, [/^identity\.ca must be the address of a file on this machine/]);
  }
});

t.test('the database, by each of its names', async (t) => {
  t.equal(read(file({ db: 'db: ./ctrl.db' })).database, '/etc/peer/ctrl.db');
  t.equal(read(file({ db: 'db: $' + '{D}/x.db' }), { D: '/d' }).database, '/d/x.db');
  t.equal(read(file({ db: 'cluster: {dataDir: /raft}' })).database, '/raft/ctrl-ha.db');
  t.equal(read(file({ db: 'raft: {dataDir: raft}' })).database, '/etc/peer/raft/ctrl-ha.db');
  t.equal(read(file()).database, undefined);
});

t.test('members of a cluster', async (t) => {
  const { members, placeless } = read(
    file({
      cluster: 'cluster: {dataDir: /raft, initialMembers: ["tls:a:1280", b], electionTimeout: 5s}',
    }),
  );
  t.same(members, ['tls:a:1280', 'b']);
  t.match(placeless, [
    { path: 'cluster.electionTimeout', value: '5s', meaning: /edge-control cluster join/ },
  ]);
});

t.test('lifetimes become minutes', async (t) => {
  const { settings, findings } = read(
    file({
      edge: `edge:
  api: {address: "c.example:1280", sessionTimeout: 90s}
  oidc: {accessTokenDuration: 90s, idTokenDuration: 1h30m, refreshTokenDuration: 24h}
  totp: {hostname: codes.example}
  enrollment:
    edgeIdentity: {duration: 1m}
    edgeRouter: {duration: 1.5h}`,
    }),
  );
  t.same(settings, {
    session: { timeoutMinutes: 2 },
    enrollment: { identityMinutes: 5, routerMinutes: 90 },
    oidc: { accessTokenMinutes: 1.5, idTokenMinutes: 90, refreshTokenMinutes: 1440 },
    totp: { issuer: 'codes.example' },
  });
  t.same(findings.notices, [
    'edge.api.sessionTimeout is 90s; session.timeoutMinutes becomes 2 minutes, the nearest that it can be.',
    'edge.enrollment.edgeIdentity.duration is 1m; enrollment.identityMinutes becomes 5 minutes, the nearest that it can be.',
  ]);
  const wrong = read(file({ edge: 'edge: {api: {sessionTimeout: soon}}' }));
  t.match(wrong.findings.refusals, [/^edge\.api\.sessionTimeout is "soon" but must be a duration/]);
  const long = `edge: {totp: {hostname: ${'x'.repeat(65)}}}`;
  const issuer = read(file({ edge: long }));
  t.same(issuer.settings, {});
  t.match(issuer.findings.notices, [
    /^edge\.totp\.hostname is not taken, because totp\.issuer must/,
  ]);
});

t.test('the nearest lifetime is one that the setting takes, and no other is nearer', async (t) => {
  const { session, enrollment, oidc } = settings;
  const cases = [
    ['session', 'api', 'sessionTimeout', session.timeoutMinutes],
    ['enrollment', 'enrollment', 'edgeIdentity.duration', enrollment.identityMinutes],
    ['enrollment', 'enrollment', 'edgeRouter.duration', enrollment.routerMinutes],
    ['oidc', 'oidc', 'accessTokenDuration', oidc.accessTokenMinutes],
    ['oidc', 'oidc', 'idTokenDuration', oidc.idTokenMinutes],
    ['oidc', 'oidc', 'refreshTokenDuration', oidc.refreshTokenMinutes],
  ] as const;
  for (const [group, section, key, setting] of cases) {
    const [outer, inner] = key.split('.');
    const minutes = (text: string) => {
      const held = inner === undefined ? text : `{${inner}: ${text}}`;
      const { settings } = read(file({ edge: `edge: {${section}: {${outer}: ${held}}}` }));
      return Number(Object.values(settings[group] ?? {})[0]);
    };
    const step = group === 'oidc' ? 1 / 1024 : 1;
    const [least, most] = [minutes('1ns'), minutes('99999999h')];
    t.equal(setting.read(least, '/'), least, key);
    t.equal(setting.read(least - step, '/'), undefined, key);
    t.equal(setting.read(most, '/'), most, key);
    t.equal(setting.read(most + step, '/'), undefined, key);
  }
});

t.test('variables', async (t) => {
  const text = file({ trustDomain: 'trustDomain: "$' + '{A}.$' + '{B_2}"' });
  t.equal(read(text, { A: 'x', B_2: 'y$' + '{C}' }).trustDomain, 'x.y$' + '{C}');
  t.match(read(text, { A: 'x' }).findings.refusals, [
    /^trustDomain names the variable B_2, which is not set: .*--set-variable NAME=VALUE\.$/,
  ]);
  const proto = file({ trustDomain: 'trustDomain: "$' + '{constructor}"' });
  t.match(read(proto).findings.refusals, [/the variable constructor, which is not set/]);
  const unused = read(file({ metrics: 'metrics: {url: "$' + '{NOT_SET}"}' }));
  t.same(unused.findings.refusals, [], 'a value without a place needs no variable');
  t.match(unused.placeless, [{ path: 'metrics.url', value: '$' + '{NOT_SET}' }]);
});

t.test('addresses of the control channel', async (t) => {
  const control = (ctrl: string) => read(file({ ctrl }));
  t.match(control('ctrl: {listener: "tls:[::]:6262"}').control.listen, { host: '::', port: 6262 });
  t.match(
    control('ctrl: {listener: "tls:a:1", options: {advertiseAddress: "tls:b.example:2"}}').control,
    { listen: { host: 'a', port: 1 }, advertise: { host: 'b.example', port: 2 } },
  );
  t.match(control('ctrl: {listener: "localhost:6262"}').control.listen, { host: 'localhost' });
  t.match(control('ctrl: {listener: "wss:a:1"}').findings.refusals, [
    /^ctrl\.listener is of the protocol wss, but routers are served by tls alone/,
  ]);
  t.match(control('ctrl: {listener: "tls:a:99999"}').findings.refusals, [
    /^ctrl\.listener is "a:99999" but must be HOST:PORT/,
  ]);
  t.match(control('ctrl: {listener: {a: b}}').findings.refusals, [
    /^ctrl\.listener must be a text/,
  ]);
});

t.test('bind points', async (t) => {
  const web = `web:
  - name: all
    bindPoints:
      - {interface: ":1280", address: c.example:443}
      - {interface: 0.0.0.0:1281}
      - {interface: nonsense, address: c.example:1}
    apis: [{binding: edge-client}, {binding: spa, options: {path: zac}}]`;
  const { bindPoints, findings, placeless } = read(file({ web }));
  t.match(bindPoints, [
    { listen: { host: '0.0.0.0', port: 1280 }, advertise: { host: 'c.example', port: 443 } },
    { listen: { host: '0.0.0.0', port: 1281 }, advertise: { port: 1281 } },
  ]);
  t.match(findings.refusals, [
    /^web\[0\]\.bindPoints\[2\]\.interface is "nonsense" but must be HOST:PORT/,
  ]);
  t.same(
    placeless.map(({ path }) => path),
    ['web[0].name', 'web[0].apis[1].binding', 'web[0].apis[1].options.path'],
  );
});

t.test('a file of another program', async (t) => {
  t.match(read('services: []\n').findings.refusals, [
    /^The configuration has no section identity/,
    /^The configuration has no section edge/,
    /^The configuration has no section web/,
  ]);
  t.match(read(file({ web: 'web: {a: b}' })).findings.refusals, [/^web must be a list/]);
  t.match(read(file({ web: 'web: [a]' })).findings.refusals, [
    /^web\[0\] must be a section with keys/,
  ]);
  t.match(read(file({ edge: 'edge: text' })).findings.refusals, [/^edge must be a section/]);
  t.match(read(file({ cluster: 'cluster: {initialMembers: a}' })).findings.refusals, [
    /^cluster\.initialMembers must be a list/,
  ]);
  t.match(read(file({ v: 'v: 4' })).placeless, [
    { path: 'v', value: '4', meaning: /not one that/ },
  ]);
});

t.test('keys without a place are listed once each, in order, without secrets', async (t) => {
  const secrets = ['pass-Word-1', 'tok-En-2', 'pin-3333', 'key-4444', 'url-5555', 'list-6666'];
  const text = file({
    events: `events:
  jsonLogger:
    handler: {type: file, path: /tmp/x, password: pass-Word-1}
    subscriptions: [{type: circuit}, {type: session}]
  amqp: {url: "amqp://user:url-5555@broker/x?token=tok-En-2", secrets: [list-6666, {a: list-6666}]}`,
    other: `unheardOf: {key: "pkcs11:///lib?pin=pin-3333", inline: "pem:key-4444", empty: {}, none: null}`,
  });
  const { placeless } = read(text);
  t.same(
    placeless.map(({ path, value }) => `${path}=${value}`),
    [
      'events.jsonLogger.handler.type=file',
      'events.jsonLogger.handler.path=/tmp/x',
      'events.jsonLogger.handler.password=******',
      'events.jsonLogger.subscriptions[0].type=circuit',
      'events.jsonLogger.subscriptions[1].type=session',
      'events.amqp.url=amqp://******@broker/x?token=******',
      'events.amqp.secrets[0]=******',
      'events.amqp.secrets[1].a=******',
      'unheardOf.key=pkcs11:******',
      'unheardOf.inline=pem:******',
    ],
  );
  t.match(placeless.at(-1)?.meaning, /^No controller of this release knows such a key/);
  for (const secret of secrets) t.notMatch(JSON.stringify(placeless), new RegExp(secret));
});

t.test('texts of others steer no terminal and are cut', async (t) => {
  const text = file({
    odd: `"odd\\e[2J\\nkey": "value\\e[31m\\nnext"\nlong: ${'x'.repeat(500)}\nhuge: ${'x'.repeat(5000)}`,
  });
  const { placeless } = read(text);
  t.match(placeless, [
    { path: 'odd\\u001b[2J\\u000akey', value: 'value\\u001b[31m\\u000anext' },
    { path: 'long', value: /^x{200}…$/ },
    { path: 'huge', value: 'a text of 5000 characters' },
  ]);
});

t.test('no secret of any form is shown', async (t) => {
  const mark = 'SeCrEt';
  const forms = [
    (s: string) => `password: ${s}`,
    (s: string) => `apiKey: ${s}`,
    (s: string) => `{token: ["a", "${s}"]}`,
    (s: string) => `url: "https://u:${s}@h/p"`,
    (s: string) => `url: "https://${s}@h/p"`,
    (s: string) => `url: "https://h/p?a=b&c=${s}"`,
    (s: string) => `dsn: "user:${s}@tcp(h)/d"`,
    (s: string) => `key: "pem:-----BEGIN PRIVATE KEY-----${s}"`,
    (s: string) => `text: "-----BEGIN EC PRIVATE KEY-----\\n${s}\\n-----END EC PRIVATE KEY-----"`,
    (s: string) => `key: "engine:x?pin=${s}"`,
  ];
  for (const form of forms) {
    const section = form(mark);
    const value = section.startsWith('{') ? section : `{${section}}`;
    const { placeless } = read(file({ metrics: `metrics: ${value}` }));
    t.ok(placeless.length > 0);
    t.notMatch(JSON.stringify(placeless), /SeCrEt/, section);
  }
});

t.test('sections of any values end with sentences', async (t) => {
  const names = ['identity', 'ctrl', 'edge', 'web', 'db', 'cluster', 'raft', 'v', 'trustDomain'];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), fc.jsonValue()), (sections) => {
      const { findings } = read(JSON.stringify(sections));
      return findings.refusals.every((sentence) => sentence.endsWith('.'));
    }),
  );
  t.pass();
});
