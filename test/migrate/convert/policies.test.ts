// Policies and posture checks of the peer.

import t from 'tap';
import { entity, flag, int, long, map, nil, type PeerValues, set, text } from '../peer/database.ts';
import { converted, edgeRouter, identity, remarksOn, reportOn, service } from './converted.ts';

const policy = (name: string, fields: PeerValues = {}) =>
  entity({ name: text(name), semantic: text('AnyOf'), ...fields });

const members = {
  services: { printer: service('printer') },
  identities: { '-me': identity('me') },
  routers: { edge: edgeRouter('edge') },
};

t.test('service policies', (t) => {
  const { record, report } = converted({
    kinds: {
      ...members,
      postureChecks: {
        mac: entity({ name: text('mac'), typeId: text('MAC'), MAC: map({}) }),
      },
      servicePolicies: {
        a: policy('a', {
          type: int(1),
          semantic: text('AllOf'),
          identityRoles: set(['@-me', '#staff']),
          serviceRoles: set(['@printer']),
          postureCheckRoles: set(['@mac']),
          identities: set(['-me']),
          services: set(['printer']),
        }),
        b: policy('b', { type: int(2), identityRoles: set([]), serviceRoles: set(['#all']) }),
        c: policy('c', { type: int(3) }),
        d: policy('d', {
          type: int(1),
          semantic: text('SomeOf'),
          identityRoles: set(['@gone']),
          serviceRoles: set(['#all', '#x', 'bare']),
        }),
      },
    },
  });
  t.match(record('servicePolicy', 'a'), {
    name: 'a',
    type: 'Dial',
    semantic: 'AllOf',
    identityRoles: ['#staff', '@-me'],
    serviceRoles: ['@printer'],
    postureCheckRoles: ['@mac'],
  });
  t.match(record('servicePolicy', 'b'), {
    type: 'Bind',
    semantic: 'AnyOf',
    identityRoles: undefined,
    serviceRoles: ['#all'],
  });
  t.equal(record('servicePolicy', 'c'), undefined);
  t.match(record('servicePolicy', 'd'), { semantic: 'AllOf', identityRoles: [] });
  t.same(remarksOn({ report }, 'servicePolicies', 'leftOut'), ['c: Its type is not known.']);
  t.same(remarksOn({ report }, 'servicePolicies', 'changed'), [
    'd: Its semantic "SomeOf" is not known, and becomes AllOf, the stricter one.',
    'd: Its identityRoles named the identity "gone", which is not in the home: the reference is ' +
      'dropped, and nothing is left in it.',
  ]);
  t.same(remarksOn({ report }, 'servicePolicies', 'kept'), [
    'd: Its serviceRoles are kept, although they are refused at a write: a role must start with ' +
      '# or @.',
  ]);
  t.end();
});

t.test('policies about routers', (t) => {
  const { record, report } = converted({
    kinds: {
      ...members,
      edgeRouterPolicies: {
        edge: policy('edge-router-edge-system', {
          isSystem: flag(true),
          identityRoles: set(['@-me']),
          edgeRouterRoles: set(['@edge']),
        }),
      },
      serviceEdgeRouterPolicies: {
        all: policy('all', {
          semantic: nil(),
          serviceRoles: set(['#all']),
          edgeRouterRoles: set(['@gone', '@edge']),
        }),
      },
    },
  });
  t.match(record('edgeRouterPolicy', 'edge'), {
    isSystem: true,
    semantic: 'AnyOf',
    identityRoles: ['@-me'],
    edgeRouterRoles: ['@edge'],
  });
  t.match(record('serviceEdgeRouterPolicy', 'all'), {
    isSystem: undefined,
    semantic: 'AllOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['@edge'],
  });
  t.same(remarksOn({ report }, 'serviceEdgeRouterPolicies', 'changed'), [
    'all: Its edgeRouterRoles named the router "gone", which is not in the home: the reference is ' +
      'dropped.',
  ]);
  t.end();
});

const check = (typeId: string, fields: PeerValues) =>
  entity({
    name: text(`check ${typeId}`),
    typeId: text(typeId),
    version: long(3),
    roleAttributes: set(['healthy']),
    [typeId]: map(fields),
  });

t.test('posture checks of each type', (t) => {
  const process = { osType: text('macOS'), path: text('/av') };
  const { record, report } = converted({
    kinds: {
      postureChecks: {
        os: check('OS', {
          Linux: map({ osType: text('Linux'), osVersions: set(['>=6.1.0']) }),
          Windows: map({ osType: text('Windows'), osVersions: set(['soon']) }),
        }),
        domain: check('DOMAIN', { domains: set(['corp.example']) }),
        mac: check('MAC', { macAddresses: set(['001b44113ab7']) }),
        mfa: check('MFA', {
          timeoutSeconds: long(600),
          promptOnWake: flag(true),
          promptOnUnlock: flag(true),
          ignoreLegacyEndpoints: flag(true),
        }),
        process: check('PROCESS', {
          os: text('Linux'),
          path: text('/usr/bin/av'),
          hashes: set(['aabb']),
          fingerprint: text('cc'),
        }),
        multi: check('PROCESS_MULTI', {
          semantic: text('AnyOf'),
          processes: map({
            'macOS-/av': map({
              ...process,
              hashes: set(['dd']),
              signerFingerprints: set(['ee']),
            }),
          }),
        }),
      },
    },
  });
  const common = { version: 3, roleAttributes: ['healthy'] };
  t.match(record('postureCheck', 'os'), {
    ...common,
    typeId: 'OS',
    operatingSystems: [
      { type: 'Linux', versions: ['>=6.1.0'] },
      { type: 'Windows', versions: ['soon'] },
    ],
  });
  t.match(record('postureCheck', 'domain'), { typeId: 'DOMAIN', domains: ['corp.example'] });
  t.match(record('postureCheck', 'mac'), { typeId: 'MAC', macAddresses: ['001b44113ab7'] });
  t.match(record('postureCheck', 'mfa'), {
    typeId: 'MFA',
    timeoutSeconds: 600,
    promptOnWake: true,
    promptOnUnlock: true,
    ignoreLegacyEndpoints: true,
  });
  t.match(record('postureCheck', 'process'), {
    process: { osType: 'Linux', path: '/usr/bin/av', hashes: ['aabb'], signerFingerprint: 'cc' },
  });
  t.match(record('postureCheck', 'multi'), {
    semantic: 'AnyOf',
    processes: [{ osType: 'macOS', path: '/av', hashes: ['dd'], signerFingerprints: ['ee'] }],
  });
  t.same(remarksOn({ report }, 'postureChecks', 'kept'), [
    'os: It has ranges of versions that are refused at a write: "soon".',
  ]);
  t.same(reportOn({ report }, 'postureChecks').unknownFields, {});
  t.end();
});

t.test('an MFA that counts for ever, and values that were never set', (t) => {
  const { record } = converted({
    kinds: {
      postureChecks: {
        a: check('MFA', { timeoutSeconds: long(0) }),
        b: { ...check('PROCESS', { os: text('Windows'), path: text('c:') }), name: text('b') },
        c: { ...check('OS', { iOS: map({}) }), name: text('c') },
      },
    },
  });
  t.match(record('postureCheck', 'a'), { timeoutSeconds: -1, promptOnWake: false });
  t.strictSame(record('postureCheck', 'b')?.['process'], {
    osType: 'Windows',
    path: 'c:',
    hashes: [],
  });
  t.match(record('postureCheck', 'c'), { operatingSystems: [{ type: 'iOS', versions: [] }] });
  t.end();
});

t.test('a check that cannot be taken over fails the migration: policies would admit more', (t) => {
  const { records, report, book } = converted({
    kinds: {
      postureChecks: {
        a: check('constructor', {}),
        b: check('PROCESS', { os: text('BeOS') }),
        c: entity({ name: text('c'), typeId: text('MAC') }),
        d: check('OS', { Linux: text('any') }),
      },
    },
  });
  t.equal(records.filter(({ kind }) => kind === 'postureCheck').length, 0);
  t.equal(book.damagedCount, 4);
  t.match(remarksOn({ report }, 'postureChecks', 'damaged'), [
    'a: Its type "constructor" is not known.',
    'b: Its system "BeOS" is not known.',
    'c: The bucket MAC of its type is missing.',
    /^d: Field OS.Linux of postureChecks d in the database is a single value/,
  ]);
  t.end();
});
