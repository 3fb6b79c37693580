// Settings from flags, environment, file and defaults, and the sentence for each wrong one.

import { t } from 'tap';
import { type ConfigSources, loadConfig } from '../../src/settings/config.ts';
import { defaultLimits, limitTable, retiredLimits } from '../../src/settings/limits.ts';
import { ConfigProblem, formatHostPort } from '../../src/settings/setting-type.ts';

interface Given {
  readonly flags?: ConfigSources['flags'];
  readonly environment?: ConfigSources['environment'];
  /** Path → text or JSON value. */
  readonly files?: Readonly<Record<string, unknown>>;
  readonly cores?: number;
}

function load(given: Given = {}) {
  return loadConfig({
    flags: given.flags ?? {},
    environment: given.environment ?? {},
    directory: '/work',
    cores: given.cores ?? 4,
    readFile: (path) => {
      const file = given.files?.[path];
      if (file !== undefined) return typeof file === 'string' ? file : JSON.stringify(file);
      throw Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: 'ENOENT' });
    },
  });
}

/** A configuration file of the default home. */
const inFile = (file: unknown): Given => ({ files: { '/work/data/config.json': file } });

t.test('defaults', async (t) => {
  const config = load();
  t.match(config, {
    home: '/work/data',
    listen: { host: '127.0.0.1', port: 1280 },
    advertise: { host: 'localhost', port: 1280 },
    ctrlListen: { host: '127.0.0.1', port: 6262, isNamed: false },
    ctrlAdvertise: undefined,
    directListen: undefined,
    tlsWorkers: 3,
    controlWorkers: 2,
    durability: 'disk',
    adminUser: 'admin',
    adminPassword: undefined,
    session: { timeoutMinutes: 30, activityFlushSeconds: 90 },
    auth: {
      endSessionsWithCredential: true,
      jwksFromPrivateAddresses: true,
      sessionLifetimeMaxMinutes: 0,
    },
    totp: { issuer: 'openziti.io', windowSteps: 1 },
    enrollment: { identityMinutes: 180, routerMinutes: 180 },
    pki: { keyType: 'ec-p256', ca: undefined },
    argon2: { memoryKib: 19456, timeCost: 2, parallelism: 1 },
    snapshot: { keep: 2 },
    log: { level: 'info' },
  });
  t.same(config.limits, defaultLimits);
  t.match(load({ cores: 1 }), { tlsWorkers: 1, controlWorkers: 1 }, 'at least one worker');
});

t.test('the password of the administrator may come from a file or standard input', async (t) => {
  const files = { '/work/secret': 'from a file\r\n', '-': 'from a pipe\n', '/short': 'tiny\n' };
  const flag = (adminPasswordFile: string, more = {}) =>
    load({ files, flags: { adminPasswordFile, ...more } }).adminPassword;
  t.equal(flag('secret'), 'from a file');
  t.equal(flag('-'), 'from a pipe');
  const environment = { EDGE_ADMIN_PASSWORD_FILE: '/work/secret' };
  t.equal(load({ files, environment }).adminPassword, 'from a file');
  t.throws(() => flag('/short'), {
    message: '/short is ****** but must be a text of 5 to 100 characters.',
  });
  t.throws(() => flag('/none'), {
    message: /^The password of the administrator cannot be read: ENOENT/,
  });
  t.throws(() => flag('secret', { adminPassword: 'password' }), {
    message: 'adminPassword and adminPasswordFile are both set: set one of them.',
  });
});

t.test('flags win over environment, environment over file, file over defaults', async (t) => {
  const files = { '/work/data/config.json': { listen: 'file:1', adminUser: 'from-file' } };
  const environment = { EDGE_LISTEN: 'environment:2' };
  t.equal(formatHostPort(load({ files }).listen), 'file:1');
  t.equal(formatHostPort(load({ files, environment }).listen), 'environment:2');
  const flags = { listen: 'flag:3' };
  t.equal(formatHostPort(load({ files, environment, flags }).listen), 'flag:3');
  t.equal(load({ files, environment, flags }).adminUser, 'from-file');
  t.equal(load({ files, environment: { EDGE_LISTEN: '' } }).listen.host, 'file', 'empty is unset');
});

t.test('where the home and the file are', async (t) => {
  t.match(load(), { homeFrom: 'the default', configFile: '/work/data/config.json' });
  t.match(load({ flags: { home: 'h' } }), { home: '/work/h', homeFrom: '--home' });
  const environment = { EDGE_HOME: '/srv/h' };
  t.match(load({ environment }), { home: '/srv/h', homeFrom: 'EDGE_HOME' });
  const files = {
    '/srv/h/config.json': { tlsWorkers: 7 },
    '/etc/edge.json': { pki: { ca: 'ca.pem' } },
  };
  t.equal(load({ flags: { home: '/srv/h' }, files }).tlsWorkers, 7);
  const named = load({ flags: { home: '/srv/h', config: '/etc/edge.json' }, files });
  t.not(named.tlsWorkers, 7, 'a named file stands for the one in the home');
  t.equal(named.pki.ca, '/etc/ca.pem', 'paths in a file start from the file');
  t.throws(() => load({ flags: { config: 'gone.json' } }), {
    message: /^The configuration file cannot be read: .*\/work\/gone.json/,
  });
});

t.test('the file may be nested or dotted', async (t) => {
  t.equal(load(inFile({ session: { timeoutMinutes: 5 } })).session.timeoutMinutes, 5);
  t.equal(load(inFile({ 'session.timeoutMinutes': 5 })).session.timeoutMinutes, 5);
});

t.test('what is advertised', async (t) => {
  const advertised = (listen: string) => formatHostPort(load({ flags: { listen } }).advertise);
  t.equal(advertised('0.0.0.0:80'), 'localhost:80');
  t.equal(advertised('[::]:80'), 'localhost:80');
  t.equal(advertised('10.1.2.3:80'), '10.1.2.3:80');
  t.equal(advertised('[fd00::1]:80'), '[fd00::1]:80');
  t.equal(advertised('edge.example:0'), 'edge.example:0');
});

t.test('where routers connect', async (t) => {
  const control = (flags: Readonly<Record<string, string>>) => load({ flags }).ctrlListen;
  t.same(control({ listen: '[::]:443' }), { host: '::', port: 6262, isNamed: false });
  t.same(control({ listen: 'localhost:0' }), { host: 'localhost', port: 0, isNamed: false });
  const named = { host: '10.1.2.3', port: 6263, isNamed: true };
  t.same(control({ ctrlListen: '10.1.2.3:6263' }), named);
  t.equal(control({ ctrlListen: 'none' }), undefined);
  for (const name of ['listen', 'directListen']) {
    t.equal(control({ [name]: '127.0.0.1:6262' }), undefined, 'the port serves something else');
  }
  t.throws(() => control({ listen: '127.0.0.1:443', ctrlListen: '127.0.0.2:443' }), {
    message: /^ctrlListen and listen have the same port 443: set ctrlListen to none/,
  });
});

t.test('a loopback name for routers is refused where others can connect', async (t) => {
  const check = (listen: string, ctrlAdvertise: string) =>
    load({ flags: { listen, ctrlAdvertise } }).ctrlAdvertise;
  const loopback = ['localhost:6262', '127.9.8.7:1', '[::1]:1', 'ctrl.LOCALHOST:1'];
  for (const address of loopback) {
    for (const listen of ['0.0.0.0:1280', '[::]:0', '10.1.2.3:1280', 'edge.example:1280']) {
      t.throws(() => check(listen, address), ConfigProblem);
    }
    for (const listen of ['127.0.0.1:1280', 'localhost:0', '[::1]:1280']) {
      t.type(check(listen, address), 'object');
    }
  }
  t.throws(() => check('0.0.0.0:1280', 'localhost:6262'), {
    message:
      'ctrlAdvertise is localhost:6262, which no router on another machine can reach, but listen is 0.0.0.0:1280: name an address that routers can reach.',
  });
  t.equal(check('0.0.0.0:1280', 'edge.example:6262')?.host, 'edge.example');
  t.type(load({ flags: { listen: '0.0.0.0:1280' } }), 'object', 'only a name that is given counts');
});

t.test('wrong settings are named in one sentence', async (t) => {
  const cases: readonly (readonly [Given, string | RegExp])[] = [
    [
      { flags: { listen: 'x' } },
      '--listen is "x" but must be HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:1280, localhost:0 or [::1]:1280.',
    ],
    [{ flags: { listen: 'x:65536' } }, /^--listen is "x:65536"/],
    [
      { flags: { ctrlListen: 'off' } },
      /^--ctrl-listen is "off" but must be HOST:PORT.* or none\.$/,
    ],
    [{ flags: { listen: '-x:1' } }, /^--listen/],
    [{ flags: { listen: '::1:80' } }, /^--listen/],
    [
      { environment: { EDGE_TLS_WORKERS: '1.5' } },
      'EDGE_TLS_WORKERS is "1.5" but must be an integer from 1 to 256.',
    ],
    [
      { flags: { durability: 'none' } },
      '--durability is "none" but must be one of disk, second, memory.',
    ],
    [
      { flags: { adminPassword: 'tiny' } },
      '--admin-password is ****** but must be a text of 5 to 100 characters.',
    ],
    [{ flags: { home: '' } }, '--home is "" but must be a path.'],
    [
      inFile({ session: { timeoutMinutes: 0 } }),
      'session.timeoutMinutes in /work/data/config.json is 0 but must be an integer from 1 to 527040.',
    ],
    [
      inFile({ auth: { endSessionsWithCredential: 'no' } }),
      /^auth\.endSessionsWithCredential in .* is "no" but must be true or false\.$/,
    ],
    [inFile({ log: { level: null } }), /^log\.level in .* is null but must be one of debug/],
    [inFile({ session: 5 }), /^session in .* is no setting of this version\.$/],
    [
      inFile({ sesion: { timeoutMinutes: 5 } }),
      'sesion.timeoutMinutes in /work/data/config.json is no setting of this version. Did you mean session.timeoutMinutes?',
    ],
    [inFile({ logLevel: 'warn' }), /is no setting of this version\. Did you mean log\.level\?$/],
    [inFile({ home: '/x' }), /^home in .* is no setting of this version\.$/],
    [inFile({ 'log.level': 'info', log: { level: 'warn' } }), /^log\.level stands twice/],
    [inFile([]), /must hold one JSON object\.$/],
    [inFile('{'), /is not valid JSON: /],
    [inFile({ argon2: { memoryKib: 8, parallelism: 2 } }), /^argon2\.memoryKib must be/],
  ];
  for (const [given, message] of cases) {
    t.throws(() => load(given), { name: 'ConfigProblem', message });
  }
  t.throws(() => load(cases[0]?.[0]), ConfigProblem);
});

t.test('a file that is nested without end is refused', async (t) => {
  const groups = `${'{"limits":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const lists = `{"advertise":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  for (const text of [groups, lists]) {
    t.throws(() => load(inFile(text)), {
      message: '/work/data/config.json is nested deeper than 8 levels.',
    });
  }
});

t.test('a flag is read even when the file is wrong about the same key', async (t) => {
  const files = { '/work/data/config.json': { listen: 5 } };
  t.equal(load({ files, flags: { listen: 'a:1' } }).listen.host, 'a');
});

t.test('every limit can be set from its least to its most', async (t) => {
  for (const [name, bound] of Object.entries(limitTable)) {
    t.ok(Number.isInteger(bound.default), name);
    t.ok(bound.least <= bound.default && bound.default <= bound.most, name);
    t.match(name, /(Max|Min|Default|Ms|Bytes)$/, 'the unit or the kind of bound stands last');
    t.equal(
      load(inFile({ limits: { [name]: bound.default } })).limits[name as keyof typeof limitTable],
      bound.default,
    );
    for (const wrong of [bound.least - 1, bound.most + 1, 'many', 1.5]) {
      t.throws(() => load(inFile({ limits: { [name]: wrong } })), ConfigProblem, name);
    }
  }
  t.equal(load(inFile({ limits: { pageRowsMax: 100 } })).limits.pageRowsMax, 100);
});

t.test('a limit that left the configuration is accepted, named and ignored', async (t) => {
  const limits = { jsonDepthMax: 8, pageRowsMax: 100, mfaBarMs: 0 };
  const config = load(inFile({ limits, 'limits.tracesMax': 1 }));
  t.equal(config.limits.pageRowsMax, 100);
  t.notOk('jsonDepthMax' in config.limits);
  const end = 'in /work/data/config.json can no longer be set; its value is ignored.';
  t.same(config.notices, [
    `limits.jsonDepthMax ${end}`,
    `limits.tracesMax ${end}`,
    `limits.mfaBarMs ${end}`,
  ]);
  t.same(load(inFile({})).notices, []);
  for (const name of retiredLimits) t.notOk(name in limitTable, name);
  // Files have the names of their release, whatever the constants are called today.
  t.ok(retiredLimits.has('sessionsJudgedMax'));
  t.ok(retiredLimits.has('sessionsJudgedMs'));
});

t.test('limits must fit each other', async (t) => {
  const mebibyte = 1024 * 1024;
  const cases = [
    [{ pageRowsDefault: 501 }, /^limits\.pageRowsDefault/],
    [{ frameBytesMax: 8 * mebibyte, segmentBytes: 8 * mebibyte }, /^limits\.segmentBytes/],
    [{ bodyBytesMax: 3 * mebibyte }, /^limits\.frameBytesMax/],
    [
      { frameBytesMax: 8 * mebibyte, writeBytesWaitingMax: 8 * mebibyte },
      /^limits\.writeBytesWaitingMax/,
    ],
  ] as const;
  for (const [limits, message] of cases) t.throws(() => load(inFile({ limits })), { message });
});

t.test('events: where they go, and which', async (t) => {
  t.match(load().events, { file: undefined, fileBytes: 67_108_864, filesKept: 4 });
  t.equal(load().events.types.length, 16);
  const given = { EDGE_EVENTS_FILE: '-', EDGE_EVENTS_TYPES: 'usage, circuit' };
  t.match(load({ environment: given }).events, { file: '-', types: ['circuit', 'usage'] });
  const file = { events: { file: 'events.log', types: ['link'] } };
  t.match(load(inFile(file)).events, { file: '/work/data/events.log', types: ['link'] });
  for (const types of ['circuit,unknown', '', [], [1], 7]) {
    t.throws(() => load(inFile({ events: { types } })), {
      name: ConfigProblem.name,
      message: /events\.types/,
    });
  }
  const nats = { servers: ['n1.example:4222'] };
  t.throws(() => load(inFile({ events: { nats } })), {
    message: /^events\.nats\.servers names n1\.example:4222, which is another machine/,
  });
  const tls = { ca: 'ca.pem' };
  t.match(load(inFile({ events: { nats: { ...nats, tls } } })).events.nats, {
    prefix: 'edge-control.events',
    tls: { ca: '/work/data/ca.pem' },
  });
});
