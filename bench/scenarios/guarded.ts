// Second factors and posture: entering codes, submitting responses, and creating sessions under
// posture checks.

import { ApiClient } from '../api-client.ts';
import type { Network } from '../network.ts';
import { created, number, post, sessionCreate, sessionCreated } from '../requests.ts';
import { type Scenario, type Stage, supplyOf } from '../scenario.ts';
import { codesOf, giving, type Holder, makeMembers, setUpMfa } from '../second-factor.ts';

/** Identities that enter codes in a run. A code is accepted once, and two are valid at any time. */
const codeGivers = 20_000;

const authenticateMfa: Scenario = {
  name: 'authenticate-mfa',
  title: 'authenticate-MFA by TOTP',
  listener: 'front',
  writes: true,
  smoke: true,
  spends: true,
  async load(stage) {
    const count = supplyOf(stage, codeGivers);
    const holders = await setUpMfa(stage, await makeMembers(stage, count, ['code-giver']));
    // The codes of this step come first; they stay valid for one more step if it ends meanwhile.
    const codes = [...codesOf(holders, 0), ...codesOf(holders, 1)];
    return {
      request: giving('/edge/client/v1/authenticate/mfa', codes),
      expect: { status: 200 },
    };
  },
};

/**
 * API sessions that create sessions, and as many that report; services whose verdict each report
 * changes.
 */
const reporters = 250;
const services = 1000;

const postureResponse: Scenario = {
  name: 'posture-response',
  title: 'posture response, 1,000 services affected',
  listener: 'front',
  writes: true,
  smoke: true,
  async load(stage) {
    const { turning } = await guarded(stage);
    const body = JSON.stringify({ id: 'domain', typeId: 'DOMAIN', domain: '{{domain}}' });
    const tokens = turning.map(({ token }) => token);
    // Each round over the sessions changes the verdict on all of their services.
    const domains = ['away.example', 'corp.example'];
    return {
      request: post('/edge/client/v1/posture-response', '{{token}}', body, {
        token: { kind: 'list', values: tokens, every: 1, repeats: true },
        domain: { kind: 'list', values: domains, every: tokens.length, repeats: true },
      }),
      expect: { status: 201 },
      firstRequest: stage.sentBefore,
    };
  },
};

const createUnderChecks: Scenario = {
  name: 'session-create-posture',
  title: 'session create, 250 API sessions, 3 posture checks',
  listener: 'front',
  writes: true,
  smoke: true,
  async load(stage) {
    const { holders, serviceIds } = await guarded(stage);
    const tokens = holders.map(({ token }) => token);
    return {
      request: sessionCreate(tokens, serviceIds),
      expect: sessionCreated,
      firstRequest: stage.sentBefore,
    };
  },
};

/** The scenarios. They come last, because their entities would slow down the others. */
export const guardedScenarios: readonly Scenario[] = [
  authenticateMfa,
  createUnderChecks,
  postureResponse,
];

/** The shared entities of the posture scenarios on a network. */
interface Guarded {
  /** The API sessions that create sessions. */
  readonly holders: readonly Holder[];
  /** The API sessions whose verdicts change. They must not be the ones that create sessions. */
  readonly turning: readonly Holder[];
  readonly serviceIds: readonly string[];
}

const guardedNetworks = new WeakMap<Network, Promise<Guarded>>();

/**
 * Services that require an operating system, a domain and a recent code, and identities that pass.
 */
function guarded(stage: Stage): Promise<Guarded> {
  const { network } = stage;
  let made = guardedNetworks.get(network);
  if (made === undefined) guardedNetworks.set(network, (made = guard(stage)));
  return made;
}

async function guard(stage: Stage): Promise<Guarded> {
  const { network, target } = stage;
  const { marks } = network;
  const admin = new ApiClient(target);
  admin.token = network.adminToken;
  const serviceCount = few(stage, services);
  const service = JSON.stringify({
    name: marks.name('guarded-{{n}}'),
    encryptionRequired: true,
    roleAttributes: marks.attributes(['guarded']),
  });
  const create = post('/edge/management/v1/services', network.adminToken, service, number);
  const serviceIds = await network.bulk(serviceCount, create, created('services'));
  for (const check of checks) {
    const roleAttributes = marks.attributes(['three']);
    await admin.create('posture-checks', {
      ...check,
      name: marks.name(check.name),
      roleAttributes,
    });
  }
  for (const type of ['Dial', 'Bind']) {
    await admin.create('service-policies', {
      name: marks.name(`guarded ${type}`),
      type,
      semantic: 'AnyOf',
      identityRoles: marks.roles('identities', ['#reporter']),
      serviceRoles: marks.roles('services', ['#guarded']),
      postureCheckRoles: marks.roles('services', ['#three']),
    });
  }
  const each = few(stage, reporters);
  const tokens = await makeMembers(stage, each * 2, ['reporter', 'bench']);
  const holders = await setUpMfa(stage, tokens);
  const slots = { token: { kind: 'list', values: tokens, every: 1 } } as const;
  const report = post(
    '/edge/client/v1/posture-response-bulk',
    ...(['{{token}}', JSON.stringify(responses), slots] as const),
  );
  await network.bulk(tokens.length, report, { status: 200 });
  return { holders: holders.slice(0, each), turning: holders.slice(each), serviceIds };
}

const checks = [
  {
    name: 'os',
    typeId: 'OS',
    operatingSystems: [{ type: 'Linux', versions: ['>=5.0.0'] }],
  },
  { name: 'domain', typeId: 'DOMAIN', domains: ['corp.example'] },
  { name: 'mfa', typeId: 'MFA', timeoutSeconds: 86_400, promptOnWake: true },
];

const responses = [
  { id: 'os', typeId: 'OS', type: 'Linux', version: '6.1.0', build: '1' },
  { id: 'domain', typeId: 'DOMAIN', domain: 'corp.example' },
];

/** A smoke run has fewer, because its home is small. */
function few({ network }: Stage, count: number): number {
  return network.size.callers < 100 ? Math.min(count, network.size.identities) : count;
}
