// The checks of sessions for routers: the refusal of each, and what they wait for.

import t from 'tap';
import {
  RouterRequestRefused,
  retryHints,
  routerErrors,
  type SessionChecks,
} from '../../src/routers/router-feature.ts';
import { createSessionChecks } from '../../src/routers/session-checks.ts';
import { recordedRouter } from '../simulated/routers.ts';
import { bootHosting, type Hosting } from './hosting.ts';

type Asked = Parameters<SessionChecks['check']>[1];

/** The name of the code that a check is refused with; `passed` if it is not. */
function outcome(check: () => unknown): string {
  try {
    check();
    return 'passed';
  } catch (error) {
    if (!(error instanceof RouterRequestRefused)) throw error;
    const { code, retryHint } = error.refusal;
    const nameIn = (names: object, value: number) =>
      Object.entries(names).find(([, other]) => other === value)?.[0];
    return `${nameIn(routerErrors, code)} ${nameIn(retryHints, retryHint)}`;
  }
}

interface Case {
  readonly title: string;
  readonly before?: (hosting: Hosting) => Promise<unknown>;
  readonly asked?: (asked: Asked, hosting: Hosting) => Promise<Partial<Asked>> | Partial<Asked>;
  readonly is: string;
}

const cases: readonly Case[] = [
  { title: 'a session by its JWT', is: 'passed' },
  {
    title: 'a session by its opaque token',
    asked: (_, { host }) => ({ sessionToken: host.sessionId }),
    is: 'passed',
  },
  {
    title: 'an unknown API session',
    asked: () => ({ apiSessionToken: 'nobody' }),
    is: 'invalidApiSession startOver',
  },
  {
    title: 'no API session',
    asked: () => ({ apiSessionToken: '' }),
    is: 'invalidApiSession startOver',
  },
  {
    title: 'an API session that was logged out',
    before: ({ network, host }) =>
      network.must('DELETE', 'C:/current-api-session', undefined, host.token),
    is: 'invalidApiSession startOver',
  },
  {
    title: 'a disabled identity',
    before: ({ network, host }) =>
      network.must('POST', `M:/identities/${host.id}/disable`, { durationMinutes: 5 }),
    is: 'invalidApiSession startOver',
  },
  {
    title: 'an API session that owes a factor',
    before: async ({ network, host }) => {
      const authPolicyId = await network.create('auth-policies', {
        name: 'codes',
        primary: {
          cert: { allowed: true, allowExpiredCerts: false },
          extJwt: { allowed: true, allowedSigners: [] },
          updb: {
            allowed: true,
            lockoutDurationMinutes: 0,
            maxAttempts: 0,
            minPasswordLength: 5,
            requireMixedCase: false,
            requireNumberChar: false,
            requireSpecialChar: false,
          },
        },
        secondary: { requireTotp: true },
      });
      await network.must('PATCH', `M:/identities/${host.id}`, { authPolicyId });
    },
    is: 'invalidApiSession startOver',
  },
  {
    title: 'an unknown session',
    asked: () => ({ sessionToken: 'none' }),
    is: 'invalidSession startOver',
  },
  {
    title: 'a session token that another key signed',
    asked: ({ sessionToken }) => ({ sessionToken: `${sessionToken.slice(0, -4)}AAAA` }),
    is: 'invalidSession startOver',
  },
  {
    title: 'the session of another API session',
    asked: async (_, hosting) => ({ sessionToken: (await hosting.person('other')).sessionToken }),
    is: 'invalidSession startOver',
  },
  {
    title: 'a session that was deleted, by its JWT',
    before: ({ network, host }) => network.must('DELETE', `M:/sessions/${host.sessionId}`),
    is: 'invalidSession startOver',
  },
  {
    title: 'a session of the other type',
    asked: () => ({ type: 'Dial' }),
    is: 'wrongSessionType startOver',
  },
  {
    title: 'a router that the identity may not use',
    before: ({ network, edgeRouterPolicy }) =>
      network.must('DELETE', `M:/edge-router-policies/${edgeRouterPolicy}`),
    is: 'routerNotUsable startOver',
  },
  {
    title: 'a router that the service may not use',
    before: ({ network, serviceEdgeRouterPolicy }) =>
      network.must('DELETE', `M:/service-edge-router-policies/${serviceEdgeRouterPolicy}`),
    is: 'routerNotUsable startOver',
  },
  {
    title: 'a disabled router',
    before: ({ network, router }) =>
      network.must('PATCH', `M:/edge-routers/${router}`, { disabled: true }),
    is: 'routerNotUsable startOver',
  },
  {
    title: 'a deleted router',
    before: ({ network, router }) => network.must('DELETE', `M:/edge-routers/${router}`),
    is: 'routerNotUsable startOver',
  },
  {
    title: 'a session whose policy is gone',
    before: ({ network, bindPolicy }) =>
      network.must('DELETE', `M:/service-policies/${bindPolicy}`),
    // It ended with the policy.
    is: 'invalidSession startOver',
  },
];

async function outcomeOf({ before, asked }: Case, hosting: Hosting): Promise<string> {
  const { host } = hosting;
  const wanted: Asked = {
    apiSessionToken: host.token,
    sessionToken: host.sessionToken,
    type: 'Bind',
  };
  const changed = { ...wanted, ...(await asked?.(wanted, hosting)) };
  await before?.(hosting);
  const checks = createSessionChecks(hosting.network);
  return outcome(() => checks.check(recordedRouter(hosting.router), changed));
}

t.test('what is asked', async (t) => {
  const hosting = await bootHosting();
  for (const one of cases.filter(({ before }) => before === undefined)) {
    t.equal(await outcomeOf(one, hosting), one.is, one.title);
  }
  await hosting.network.stop();
});

for (const one of cases.filter(({ before }) => before !== undefined)) {
  t.test(one.title, async (t) => {
    const hosting = await bootHosting();
    t.equal(await outcomeOf(one, hosting), one.is);
    await hosting.network.stop();
  });
}

t.test('a check answers what it has found', async (t) => {
  const hosting = await bootHosting();
  const { network, host } = hosting;
  const checks = createSessionChecks(network);
  const asked = { apiSessionToken: host.token, sessionToken: host.sessionToken };
  for (let turn = 0; turn < 2; turn++) {
    const found = checks.check(recordedRouter(hosting.router), { ...asked, type: 'Bind' });
    t.equal(found.session.id, host.sessionId);
    t.equal(found.apiSession.identityId, host.id);
    t.equal(found.identity.id, host.id);
    t.equal(found.service.id, hosting.service);
    t.equal(found.router.id, hosting.router);
  }
  await network.stop();
});

t.test('a session without a right is of no use, except for an administrator', async (t) => {
  const hosting = await bootHosting();
  const { network, host } = hosting;
  const checks = createSessionChecks(network);
  const router = recordedRouter(hosting.router);
  const asked = {
    apiSessionToken: host.token,
    sessionToken: host.sessionToken,
    type: 'Bind',
  } as const;
  const check = () => outcome(() => checks.check(router, asked));
  await network.must('PATCH', `M:/identities/${host.id}`, { isAdmin: true });
  await network.must('DELETE', `M:/service-policies/${hosting.bindPolicy}`);
  t.equal(check(), 'passed');
  await network.stop();
});

t.test('time and posture are evaluated again, before they end anything', async (t) => {
  const hosting = await bootHosting();
  const { network, host } = hosting;
  const router = recordedRouter(hosting.router);
  const asked = {
    apiSessionToken: host.token,
    sessionToken: host.sessionToken,
    type: 'Bind',
  } as const;
  const checked = (changes: object) =>
    outcome(() =>
      createSessionChecks({ env: { ...network.env, ...changes } }).check(router, asked),
    );
  t.equal(checked({}), 'passed');
  const failing = {
    isUsed: true,
    checksOf: () => [{}],
    subjectOf: () => ({}),
    passes: () => false,
  };
  t.equal(checked({ posture: failing }), 'postureFailed startOver');
  t.equal(checked({ posture: { ...failing, checksOf: () => [] } }), 'passed');
  const later = { now: () => network.clock.now() + 366 * 24 * 3_600_000 };
  t.equal(checked({ clock: later }), 'invalidApiSession startOver', 'idle too long');
  const busy = { lastActivityAt: () => later.now() };
  t.equal(checked({ clock: later, activity: busy }), 'invalidSession startOver', 'an old token');
  await network.stop();
});

t.test('an answer waits for the policies that it rests on', async (t) => {
  const hosting = await bootHosting();
  const { network, host } = hosting;
  const { store } = network.env;
  const checks = createSessionChecks(network);
  const asked = {
    apiSessionToken: host.token,
    sessionToken: host.sessionToken,
    type: 'Bind',
  } as const;
  const paths = {
    servicePolicy: `service-policies/${hosting.bindPolicy}`,
    edgeRouterPolicy: `edge-router-policies/${hosting.edgeRouterPolicy}`,
    serviceEdgeRouterPolicy: `service-edge-router-policies/${hosting.serviceEdgeRouterPolicy}`,
    router: `edge-routers/${hosting.router}`,
  };
  for (const [kind, path] of Object.entries(paths)) {
    await network.must('PATCH', `M:/${path}`, { tags: { at: kind } });
    store.fence.begin();
    checks.check(recordedRouter(hosting.router), asked);
    t.ok(store.fence.lsn >= store.tableNamed(kind).lastLsn, kind);
  }
  await network.stop();
});

t.test('a tunneler acts as the identity with its own id', async (t) => {
  const hosting = await bootHosting();
  const { network } = hosting;
  const { store } = network.env;
  const checks = createSessionChecks(network);
  const router = recordedRouter(hosting.router);
  const { services } = hosting;
  const service = store.table(services).find(hosting.service);
  const check = (of = service, type: 'Dial' | 'Bind' = 'Bind') =>
    outcome(() => checks.checkTunneler(router, { service: of, type }));
  t.equal(check(), 'tunnelingNotEnabled notRetriable');
  await network.must('PATCH', `M:/edge-routers/${hosting.router}`, { isTunnelerEnabled: true });
  t.equal(check(undefined), 'passed', 'the default stands for the service');
  t.equal(
    outcome(() => checks.checkTunneler(router, { service: undefined, type: 'Bind' })),
    'invalidService notRetriable',
  );
  await network.must('PATCH', `M:/service-policies/${hosting.bindPolicy}`, {
    identityRoles: ['#hosts'],
  });
  t.equal(check(), 'invalidService notRetriable', 'no policy');
  await network.create('service-policies', {
    name: 'dial',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    serviceRoles: ['#all'],
  });
  t.equal(check(), 'invalidService notRetriable', 'no policy that allows Bind');
  t.equal(check(service, 'Dial'), 'passed');
  await network.must(
    ...(['DELETE', `M:/service-edge-router-policies/${hosting.serviceEdgeRouterPolicy}`] as const),
  );
  t.equal(check(service, 'Dial'), 'accessDenied default');
  await network.stop();
});
