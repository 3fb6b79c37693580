// Operations that between them reach every observer of a table and every follower of commits.

import type { Scene } from './scene.ts';

/** One change of the scene; done again and again, each time to something of its own. */
export interface Step {
  readonly name: string;
  /** Prepares what it changes. Answers the change itself. */
  prepare(scene: Scene, n: number): Promise<Call>;
}

/** A request of the administrator, or of whoever holds `token`. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly token?: string | null;
}

const everybody = { identityRoles: ['#all'], edgeRouterRoles: ['#all'], semantic: 'AnyOf' };

/** Creates an entity, and deletes it. */
function life(plural: string, body: (n: number) => object): Step[] {
  return [
    {
      name: `create ${plural}`,
      prepare: async (_, n) => ({ method: 'POST', path: `M:/${plural}`, body: body(n) }),
    },
    {
      name: `delete ${plural}`,
      async prepare({ network }, n) {
        const id = await network.create(plural, body(1000 + n));
        return { method: 'DELETE', path: `M:/${plural}/${id}` };
      },
    },
  ];
}

function change(plural: string, id: (scene: Scene) => string, body: (n: number) => object): Step {
  return {
    name: `change ${plural}`,
    prepare: async (scene, n) => ({
      method: 'PATCH',
      path: `M:/${plural}/${id(scene)}`,
      body: body(n),
    }),
  };
}

async function loggedIn(scene: Scene): Promise<string> {
  return await scene.network.login('alice', 'alice-password');
}

/** The steps. */
export const steps: readonly Step[] = [
  ...life('identities', (n) => ({
    name: `identity ${n}`,
    type: 'Default',
    isAdmin: false,
    roleAttributes: ['sales'],
    enrollment: { ott: true },
  })),
  ...life('services', (n) => ({
    name: `service ${n}`,
    encryptionRequired: true,
    roleAttributes: ['core'],
  })),
  ...life('edge-routers', (n) => ({ name: `router ${n}`, roleAttributes: ['fast'] })),
  ...life('edge-router-policies', (n) => ({ name: `policy ${n}`, ...everybody })),
  ...life('service-policies', (n) => ({
    name: `policy ${n}`,
    type: 'Dial',
    semantic: 'AnyOf',
    postureCheckRoles: ['#all'],
    identityRoles: ['#sales'],
    serviceRoles: ['#core'],
  })),
  ...life('posture-checks', (n) => ({ name: `check ${n}`, typeId: 'DOMAIN', domains: ['a.b'] })),
  ...life('configs', (n) => ({
    name: `config ${n}`,
    configTypeId: 'g7cIWbcGg',
    data: {
      protocols: ['tcp'],
      addresses: ['a.b'],
      portRanges: [{ low: 1, high: 2 }],
    },
  })),
  ...life('auth-policies', (n) => ({
    name: `auth policy ${n}`,
    primary: {
      cert: { allowed: true, allowExpiredCerts: false },
      extJwt: { allowed: false, allowedSigners: [] },
      updb: {
        allowed: true,
        lockoutDurationMinutes: 0,
        maxAttempts: 5,
        minPasswordLength: 5,
        requireMixedCase: false,
        requireNumberChar: false,
        requireSpecialChar: false,
      },
    },
    secondary: { requireTotp: false },
  })),
  ...life('external-jwt-signers', (n) => ({
    name: `signer ${n}`,
    issuer: `https://issuer/${n}`,
    audience: 'us',
    enabled: true,
    jwksEndpoint: 'https://issuer/keys',
    claimsProperty: 'sub',
    useExternalId: true,
  })),
  change(
    'identities',
    ({ ids }) => ids.alice,
    (n) => ({ roleAttributes: n % 2 === 0 ? ['eu'] : ['sales'] }),
  ),
  change(
    'services',
    ({ ids }) => ids.crm,
    (n) => ({ roleAttributes: n % 2 === 0 ? ['old'] : ['core'] }),
  ),
  change(
    'service-policies',
    ({ ids }) => ids.dialPolicy,
    (n) => ({ identityRoles: n % 2 === 0 ? ['#eu'] : ['#sales'] }),
  ),
  change(
    'posture-checks',
    ({ ids }) => ids.check,
    (n) => ({ typeId: 'DOMAIN', domains: [`d${n}.example`] }),
  ),
  {
    name: 'log in',
    prepare: async () => ({
      method: 'POST',
      path: 'C:/authenticate?method=password',
      token: null,
      body: { username: 'alice', password: 'alice-password' },
    }),
  },
  {
    name: 'log out',
    prepare: async (scene) => ({
      method: 'DELETE',
      path: 'C:/current-api-session',
      token: await loggedIn(scene),
    }),
  },
  {
    name: 'make a session',
    async prepare(scene) {
      const { network, ids } = scene;
      // Other steps may have taken the right away.
      const roles = { identityRoles: ['#sales'], serviceRoles: ['#core'] };
      await network.must('PATCH', `M:/service-policies/${ids.dialPolicy}`, roles);
      await network.must('PATCH', `M:/identities/${ids.alice}`, { roleAttributes: ['sales'] });
      await network.must('PATCH', `M:/services/${ids.crm}`, { roleAttributes: ['core'] });
      return {
        method: 'POST',
        path: 'C:/sessions',
        token: await loggedIn(scene),
        body: { serviceId: ids.crm, type: 'Dial' },
      };
    },
  },
  {
    name: 'report posture',
    prepare: async (scene, n) => ({
      method: 'POST',
      path: 'C:/posture-response',
      token: await loggedIn(scene),
      body: { id: 'domain', typeId: 'DOMAIN', domain: `d${n}.example` },
    }),
  },
  {
    name: 'begin MFA',
    async prepare(scene, n) {
      const { network } = scene;
      await network.createUser(`mfa ${n}`, 'some-password');
      const token = await network.login(`mfa ${n}`, 'some-password');
      return { method: 'POST', path: 'C:/current-identity/mfa', token };
    },
  },
  {
    name: 'disable an identity',
    async prepare(scene, n) {
      const { network } = scene;
      const id = await network.createUser(`disabled ${n}`, 'some-password');
      await network.login(`disabled ${n}`, 'some-password');
      const body = { durationMinutes: 5 };
      return { method: 'POST', path: `M:/identities/${id}/disable`, body };
    },
  },
];
