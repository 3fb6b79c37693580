// Identities of the peer: each field, and what has no counterpart.

import t from 'tap';
import { flag, float, int, long, map, nil, set, text, time } from '../peer/database.ts';
import { converted, entityMs, identity, nowMs, remarksOn, reportOn, service } from './converted.ts';

const dayMs = 86_400_000;

const network = {
  kinds: {
    authPolicies: {},
    configTypes: { theType: identity('own.v1') },
    configs: { theConfig: { ...identity('own'), type: text('theType'), data: map({}) } },
    services: { printer: service('printer') },
    identities: {
      '-63w5SELEa': identity('desk', {
        isAdmin: flag(true),
        isDefaultAdmin: flag(true),
        roleAttributes: set(['zeta', 'alpha']),
        externalId: text('ext-1'),
        appData: map({ os: text('linux'), floor: float(2) }),
        defaultHostingCost: int(7),
        defaultHostingPrecedence: int(1),
        serviceHostingCosts: map({ printer: int(9) }),
        serviceHostingPrecedences: map({ printer: int(2) }),
        serviceConfigs: map({ printer: map({ theType: text('theConfig') }) }),
        permissions: set(['service.read', 'ca']),
        envInfoArch: text('amd64'),
        envInfoOs: text('linux'),
        envInfoRelease: text('6.1'),
        envInfoVersion: text('#1 SMP'),
        envInfoDomain: text('corp'),
        envInfoHostname: text('desk'),
        sdkInfoAppId: text('app'),
        sdkInfoAppVersion: text('2'),
        sdkInfoBranch: text('main'),
        sdkInfoRevision: text('abc'),
        sdkInfoType: text('go'),
        sdkInfoVersion: text('v1'),
        disabledAt: nil(),
        disabledUntil: nil(),
        interfaces: map({}),
      }),
    },
  },
};

t.test('every field has its place', (t) => {
  const { record, report } = converted(network);
  t.match(record('identity', '-63w5SELEa'), {
    id: '-63w5SELEa',
    createdAt: entityMs,
    updatedAt: entityMs,
    state: 'enabled',
    name: 'desk',
    typeId: 'Default',
    isAdmin: true,
    isDefaultAdmin: true,
    authPolicyId: 'default',
    externalId: 'ext-1',
    roleAttributes: ['alpha', 'zeta'],
    appData: { os: 'linux', floor: 2 },
    defaultHostingCost: 7,
    defaultHostingPrecedence: 'required',
    serviceHostingCosts: { printer: 9 },
    serviceHostingPrecedences: { printer: 'failed' },
    serviceConfigs: [{ serviceId: 'printer', configId: 'theConfig' }],
    permissions: ['ca', 'service.read'],
    envInfo: {
      arch: 'amd64',
      os: 'linux',
      osRelease: '6.1',
      osVersion: '#1 SMP',
      domain: 'corp',
      hostname: 'desk',
    },
    sdkInfo: {
      appId: 'app',
      appVersion: '2',
      branch: 'main',
      revision: 'abc',
      type: 'go',
      version: 'v1',
    },
    disabledAt: undefined,
    isSystem: undefined,
  });
  const { taken, changed, droppedFields, unknownFields } = reportOn({ report }, 'identities');
  t.same(
    { taken, changed, droppedFields, unknownFields },
    { taken: 1, changed: 0, droppedFields: {}, unknownFields: {} },
  );
  t.end();
});

t.test('a period that is over counts for nothing', (t) => {
  const disabled = (until: ReturnType<typeof nil>) =>
    identity(`until ${until.toString('hex')}`, {
      disabledAt: time(nowMs - 2 * dayMs),
      disabledUntil: until,
    });
  const { record } = converted({
    kinds: {
      identities: {
        forever: disabled(nil()),
        later: disabled(time(nowMs + dayMs)),
        over: disabled(time(nowMs)),
      },
    },
  });
  t.match(record('identity', 'forever'), {
    state: 'disabled',
    disabledAt: nowMs - 2 * dayMs,
    disabledUntil: undefined,
  });
  t.match(record('identity', 'later'), { state: 'disabled', disabledUntil: nowMs + dayMs });
  t.match(record('identity', 'over'), {
    state: 'enabled',
    disabledAt: undefined,
    disabledUntil: undefined,
  });
  t.end();
});

t.test('what has no counterpart is dropped, cut or replaced, and said', (t) => {
  const { record, report } = converted({
    kinds: {
      services: { printer: service('printer') },
      identities: {
        old: identity('old', {
          type: text('Device'),
          permissions: set(['controllers', 'controllers.read', 'service', 'fly']),
          envInfoOs: text('x'.repeat(1001)),
          interfaces: map({ eth0: map({ name: text('eth0') }) }),
          defaultHostingCost: int(70_000),
          defaultHostingPrecedence: int(5),
          serviceHostingCosts: map({ printer: long(-1), gone: int(1) }),
          authPolicyId: text('gone'),
        }),
        router: identity('router', { type: text('Router') }),
      },
    },
  });
  t.match(record('identity', 'old'), {
    typeId: 'Default',
    permissions: ['service'],
    envInfo: { os: 'x'.repeat(1000) },
    defaultHostingCost: 65_535,
    defaultHostingPrecedence: 'default',
    serviceHostingCosts: { printer: 0 },
    authPolicyId: 'default',
  });
  t.match(record('identity', 'router'), { typeId: 'Router' });
  t.strictSame(remarksOn({ report }, 'identities', 'changed'), [
    'old: Its type has no counterpart, and becomes Default.',
    'old: The cost in defaultHostingCost is not within 0 and 65535, and becomes 65535.',
    'old: The precedence in defaultHostingPrecedence is unknown, and becomes the default.',
    'old: The cost in serviceHostingCosts is not within 0 and 65535, and becomes 0.',
    'old: These permissions have no counterpart, and are dropped: "controllers", ' +
      '"controllers.read", "fly".',
    'old: Its authPolicyId named the auth policy "gone", which is not in the home: it becomes ' +
      'default.',
    'old: Its serviceHostingCosts named the service "gone", which is not in the home: the ' +
      'reference is dropped.',
  ]);
  const { changed, droppedFields } = reportOn({ report }, 'identities');
  t.same(
    { changed, droppedFields },
    { changed: 1, droppedFields: { envInfoOs: 1, interfaces: 1 } },
  );
  t.end();
});

t.test('tags: single values stay, numbers too, and nested ones become text', (t) => {
  const { record, report } = converted({
    kinds: {
      identities: {
        tagged: identity('tagged', {
          tags: map({
            site: text('north'),
            blue: flag(true),
            none: nil(),
            floor: int(3),
            id: long(2 ** 40),
            share: float(0.5),
            deep: map({ a: text('b') }),
            ['__proto__']: text('kept'),
          }),
        }),
      },
    },
  });
  const tags = record('identity', 'tagged')?.['tags'];
  t.same(Object.entries(tags ?? {}).toSorted(), [
    ['__proto__', 'kept'],
    ['blue', true],
    ['deep', '{"a":"b"}'],
    ['floor', 3],
    ['id', 2 ** 40],
    ['none', null],
    ['share', 0.5],
    ['site', 'north'],
  ]);
  t.strictSame(remarksOn({ report }, 'identities', 'changed'), [
    'tagged: The tag "deep" holds no single value, and becomes the text of it.',
  ]);
  t.end();
});
