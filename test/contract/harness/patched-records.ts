// A record for each PATCH, with a body that gives every member of it a value. The value is no
// default, so a member that was cleared can be told from one that was kept.

import { makeCertificate } from '../../simulated/certificates.ts';
import type { Network } from '../../simulated/network.ts';
import { reportLink } from './reported-link.ts';

type Body = Readonly<Record<string, unknown>>;

/** A record that can be patched. */
export interface Patched {
  /** The id of the operation. */
  readonly operation: string;
  /** Shows the record, and takes the patch. */
  readonly path: string;
  /** Gives each member a value. */
  readonly whole: Body;
  /** Members without which the operation refuses a body. */
  readonly always: Body;
  /** The session that the requests come from, unless it is the administrator's. */
  readonly token?: string;
}

/** The records of all operations; one operation may have several, each with other members. */
export async function patchedRecords(network: Network): Promise<readonly Patched[]> {
  return [
    ...(await loginRules(network)),
    ...(await identitiesAndAuthenticators(network)),
    ...(await servicesAndRouters(network)),
    ...(await ofTheFabric(network)),
    ...(await policies(network)),
    ...(await postureChecks(network)),
  ];
}

const tags = { from: 'creation' };

async function made(
  network: Network,
  operation: string,
  plural: string,
  whole: Body,
  fixed: Body = {},
): Promise<Patched> {
  const id = await network.create(plural, { ...fixed, ...whole });
  return { operation, path: `M:/${plural}/${id}`, whole, always: {} };
}

const primary = {
  cert: { allowExpiredCerts: true, allowed: true },
  extJwt: { allowed: true },
  updb: {
    allowed: true,
    lockoutDurationMinutes: 5,
    maxAttempts: 7,
    minPasswordLength: 6,
    requireMixedCase: true,
    requireNumberChar: true,
    requireSpecialChar: true,
  },
};

const signer = {
  audience: 'edge',
  enabled: true,
  claimsProperty: '/name',
  useExternalId: true,
  externalAuthUrl: 'https://idp.example.com/login',
  clientId: 'client',
  scopes: ['openid'],
  targetToken: 'ID',
  enrollToCertEnabled: true,
  enrollToTokenEnabled: true,
  enrollNameClaimsSelector: '/name',
  enrollAttributeClaimsSelector: '/groups',
  tags,
};

const externalIdClaim = {
  index: 1,
  location: 'COMMON_NAME',
  matcher: 'PREFIX',
  matcherCriteria: 'a',
  parser: 'SPLIT',
  parserCriteria: ',',
};

async function loginRules(network: Network): Promise<readonly Patched[]> {
  const nowMs = network.clock.now();
  const wanted = { keyType: 'ec-p256', nowMs } as const;
  const authority = await makeCertificate({ name: 'partner', as: 'authority', ...wanted });
  const { pem } = await makeCertificate({ name: 'idp', as: 'end', ...wanted });
  const simple = { name: 'simple', issuer: 'https://simple.example.com', audience: 'edge' };
  const jwksEndpoint = 'https://idp.example.com/keys';
  const allowedSigners = [
    await network.create('external-jwt-signers', { ...simple, enabled: true, jwksEndpoint }),
  ];
  const secondary = { requireExtJwtSigner: allowedSigners[0], requireTotp: true };
  const allowing = { ...primary, extJwt: { allowed: true, allowedSigners } };
  const policy = { name: 'policy', primary: allowing, secondary, tags };
  const shown = await made(network, 'patchAuthPolicy', 'auth-policies', policy);
  const enrollAuthPolicyId = shown.path.replace('M:/auth-policies/', '');
  const known = { ...signer, enrollAuthPolicyId };
  const withKeys = { ...known, name: 'keys', issuer: 'https://keys.example.com', kid: 'k' };
  const withCertificate = { ...known, name: 'cert', issuer: 'https://cert.example.com' };
  const bySigner = (whole: Body) =>
    made(network, 'patchExternalJwtSigner', 'external-jwt-signers', whole);
  const ca = {
    name: 'ca',
    identityNameFormat: '[commonName]',
    identityRoles: ['partner'],
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: true,
    isOttCaEnrollmentEnabled: true,
    externalIdClaim,
    tags,
  };
  return [
    shown,
    await bySigner({ ...withKeys, jwksEndpoint }),
    await bySigner({ ...withCertificate, certPem: pem }),
    await made(network, 'patchCa', 'cas', ca, { certPem: authority.pem }),
  ];
}

async function identitiesAndAuthenticators(network: Network): Promise<readonly Patched[]> {
  const service = await network.create('services', { name: 'hosted', encryptionRequired: true });
  const primaryOfAll = { ...primary, extJwt: { ...primary.extJwt, allowedSigners: [] } };
  const secondary = { requireTotp: false };
  const authPolicyId = await network.create('auth-policies', {
    name: 'other',
    primary: primaryOfAll,
    secondary,
  });
  const identity = {
    name: 'identity',
    type: 'Default',
    isAdmin: true,
    authPolicyId,
    externalId: 'external',
    roleAttributes: ['staff'],
    appData: { a: 1 },
    defaultHostingCost: 3,
    defaultHostingPrecedence: 'required',
    serviceHostingCosts: { [service]: 4 },
    serviceHostingPrecedences: { [service]: 'failed' },
    permissions: ['ops'],
    tags,
  };
  const own = await authenticator(network, 'owner');
  return [
    await made(network, 'patchIdentity', 'identities', identity),
    await authenticator(network, 'other'),
    {
      operation: 'patchCurrentIdentityAuthenticator',
      path: own.path.replace('M:/', 'C:/current-identity/'),
      whole: own.whole,
      always: { currentPassword: password },
      token: await network.login('owner', password),
    },
  ];
}

const password = 'some-password';

async function authenticator(network: Network, username: string): Promise<Patched> {
  const owner = { name: username, type: 'Default', isAdmin: false };
  const identityId = await network.create('identities', owner);
  const login = { username, password, tags };
  const method = { method: 'updb', identityId };
  return made(network, 'patchAuthenticator', 'authenticators', login, method);
}

async function configOf(network: Network, target: string, name = target): Promise<string> {
  const configTypeId = await network.create('config-types', { name: `of ${name}`, target });
  return network.create('configs', { name: `for ${name}`, configTypeId, data: { a: 1 } });
}

async function servicesAndRouters(network: Network): Promise<readonly Patched[]> {
  const schema = { type: 'object' };
  const type = await made(network, 'patchConfigType', 'config-types', {
    name: 'type',
    schema,
    tags,
  });
  const config = { name: 'config', data: { a: 1 }, tags };
  const configTypeId = type.path.replace('M:/config-types/', '');
  const service = {
    name: 'service',
    configs: [await configOf(network, 'service')],
    maxIdleTimeMillis: 1000,
    roleAttributes: ['staff'],
    terminatorStrategy: 'weighted',
    tags,
  };
  const atService = await made(network, 'patchService', 'services', service, {
    encryptionRequired: true,
  });
  const router = {
    cost: 5,
    noTraversal: true,
    disabled: true,
    configs: [await configOf(network, 'router')],
    ctrlChanListeners: { 'tls:router.example.com:6262': ['group'] },
    tags,
  };
  const edge = { roleAttributes: ['site'], isTunnelerEnabled: true, appData: { a: 1 } };
  const edgeRouter = { ...router, ...edge, name: 'edge' };
  const bare = await made(network, 'patchRouter', 'routers', { ...router, name: 'bare' });
  const transit = { ...router, name: 'transit' };
  const hosting = { router: bare.path.replace('M:/routers/', ''), binding: 'transport' };
  const costs = { cost: 6, precedence: 'required', tags };
  const terminator = { ...hosting, address: 'tcp:localhost:80', ...costs };
  const of = { service: atService.path.replace('M:/services/', '') };
  return [
    type,
    await made(network, 'patchConfig', 'configs', config, { configTypeId }),
    atService,
    await made(network, 'patchEdgeRouter', 'edge-routers', edgeRouter),
    bare,
    await made(network, 'patchTransitRouter', 'transit-routers', transit),
    await made(network, 'patchTerminator', 'terminators', terminator, of),
  ];
}

/** As the fabric API shows them. */
async function ofTheFabric(network: Network): Promise<readonly Patched[]> {
  const sourceRouter = await network.create('routers', { name: 'north' });
  const destRouter = await network.create('routers', { name: 'south' });
  reportLink(network, { id: 'north-south', sourceRouter, destRouter });
  const service = await network.create('services', { name: 'mail', encryptionRequired: true });
  const target = { service, router: destRouter, binding: 'transport', address: 'tcp:mail:25' };
  const terminator = await network.create('terminators', target);
  const host = { name: 'host', type: 'Default', isAdmin: false };
  const hostId = await network.create('identities', host);
  const of = (operation: string, path: string, whole: Body): Patched => {
    return { operation, path: `F:/${path}`, whole, always: {} };
  };
  return [
    of('patchLink', 'links/north-south', { staticCost: 5, down: true }),
    of('patchService', `services/${service}`, {
      name: 'mail',
      maxIdleTimeMillis: 1000,
      terminatorStrategy: 'weighted',
      tags,
    }),
    of('patchRouter', `routers/${sourceRouter}`, {
      name: 'north',
      fingerprint: 'ab'.repeat(20),
      cost: 5,
      noTraversal: true,
      disabled: true,
      configs: [await configOf(network, 'router', 'fabric')],
      ctrlChanListeners: { 'tls:router.example.com:6262': ['group'] },
      tags,
    }),
    of('patchTerminator', `terminators/${terminator}`, {
      ...target,
      hostId,
      cost: 6,
      precedence: 'required',
      tags,
    }),
  ];
}

async function policies(network: Network): Promise<readonly Patched[]> {
  const common = { name: 'links', semantic: 'AllOf', tags };
  const identityRoles = ['#staff'];
  const edgeRouterRoles = ['#site'];
  const serviceRoles = ['#mail'];
  const service = { type: 'Bind', identityRoles, serviceRoles, postureCheckRoles: ['#safe'] };
  return [
    await made(network, 'patchServicePolicy', 'service-policies', { ...common, ...service }),
    await made(network, 'patchEdgeRouterPolicy', 'edge-router-policies', {
      ...common,
      identityRoles,
      edgeRouterRoles,
    }),
    await made(network, 'patchServiceEdgeRouterPolicy', 'service-edge-router-policies', {
      ...common,
      edgeRouterRoles,
      serviceRoles,
    }),
  ];
}

const checks: Readonly<Record<string, Body>> = {
  OS: { operatingSystems: [{ type: 'Linux', versions: ['>=6'] }] },
  DOMAIN: { domains: ['corp.example'] },
  MAC: { macAddresses: ['0a0b0c0d0e0f'] },
  MFA: {
    timeoutSeconds: 60,
    promptOnWake: true,
    promptOnUnlock: true,
    ignoreLegacyEndpoints: true,
  },
  PROCESS: {
    process: { osType: 'Linux', path: '/bin/agent', hashes: ['ab'], signerFingerprint: 'cd' },
  },
  PROCESS_MULTI: {
    semantic: 'AnyOf',
    processes: [{ osType: 'Linux', path: '/bin/agent', hashes: ['ab'] }],
  },
};

async function postureChecks(network: Network): Promise<readonly Patched[]> {
  const found: Patched[] = [];
  for (const [typeId, own] of Object.entries(checks)) {
    const whole = { name: typeId, roleAttributes: ['safe'], ...own, tags };
    const always = { typeId };
    const one = await made(network, 'patchPostureCheck', 'posture-checks', whole, always);
    found.push({ ...one, always });
  }
  return found;
}
