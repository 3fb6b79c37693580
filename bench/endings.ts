// One change of a policy or of a credential that ends many sessions at once, while other clients
// send requests.

import { ApiClient } from './api-client.ts';
import { figuresOf, type LatencyFigures } from './load/histogram.ts';
import { othersJob } from './others.ts';
import { jwtLogin, providerOf } from './provider.ts';
import { loggedIn, post, sessionCreated } from './requests.ts';
import { readLogFigures, readOperations } from './server/log-figures.ts';
import { type Pauses, pausesWhile } from './server/pauses.ts';
import { onStage, type Stage } from './stage.ts';

/** The effect of a change. */
export interface EndingMeasurement {
  readonly title: string;
  /** Sessions before the change, and sessions that a list shows after its answer. */
  readonly sessions: number;
  readonly leftAtOnce: number;
  /** How long the administrator waited for the answer to the change. */
  readonly answerMs: number;
  /** From the deciding frame to the last one of its consequences, by the log. */
  readonly doneMs: number;
  readonly frames: number;
  /** Pauses of the main thread: before the change, and during it. */
  readonly inPeace: Pauses;
  readonly pauses: Pauses;
  /** `current-api-session` of other clients during the change. */
  readonly othersMs: LatencyFigures;
  readonly wrong: number;
}

/** How long requests are sent before the change, and after its last consequence. */
const askMs = 10_000;

/** Operations of the log that carry out the decision of another operation. */
const endingWork: ReadonlySet<string> = new Set(['endSessions', 'endApiSessions', 'cascade']);

/** Sessions that a change ends: as many as a large site has, and as the largest bound permits. */
const sessionCounts = [10_000, 100_000] as const;

/** Measures the changes, each number of sessions on a home of its own. */
export async function measureEndings(smoke: boolean): Promise<EndingMeasurement[]> {
  if (smoke) return await measureOnHome(smoke, 400);
  const found: EndingMeasurement[] = [];
  for (const sessions of sessionCounts) found.push(...(await measureOnHome(smoke, sessions)));
  return found;
}

async function measureOnHome(smoke: boolean, sessions: number): Promise<EndingMeasurement[]> {
  const size = {
    identities: smoke ? 100 : 1000,
    services: smoke ? 20 : 200,
    visibleServices: 10,
    routers: 2,
    callers: smoke ? 20 : 250,
    viewers: 10,
    apiSessionsEach: smoke ? 2 : 4,
  };
  return await onStage({ name: 'endings', size, isWatched: true }, async (stage) => {
    const admin = new ApiClient(stage.controller);
    admin.token = stage.network.adminToken;
    const found: EndingMeasurement[] = [];
    for (const change of changes) {
      found.push(await measureOne({ ...stage, admin, smoke, sessions }, change));
    }
    return found;
  });
}

/** A change that ends all sessions that were made for it. */
interface Change {
  readonly title: string;
  /** The list of the management API that counts the sessions. */
  readonly list: 'sessions' | 'api-sessions';
  makeSessions(scene: Scene): Promise<void>;
  apply(admin: ApiClient): Promise<unknown>;
}

const changes: readonly Change[] = [
  {
    title: 'a policy is deleted',
    list: 'sessions',
    makeSessions: (scene) => makeServiceSessions(scene, 'Dial'),
    async apply(admin) {
      const id = await idOf(admin, 'service-policies', 'callers dial');
      return await admin.call('DELETE', `/edge/management/v1/service-policies/${id}`);
    },
  },
  {
    title: 'a policy asks for a posture check that nobody passes',
    list: 'sessions',
    makeSessions: (scene) => makeServiceSessions(scene, 'Bind'),
    async apply(admin) {
      const check = { name: 'nobody', typeId: 'DOMAIN', domains: ['nowhere.example'] };
      const checkId = await admin.create('posture-checks', check);
      const id = await idOf(admin, 'service-policies', 'callers bind');
      const patch = { postureCheckRoles: [`@${checkId}`] };
      return await admin.call('PATCH', `/edge/management/v1/service-policies/${id}`, patch);
    },
  },
  {
    title: 'an external JWT signer is disabled',
    list: 'api-sessions',
    makeSessions: makeApiSessions,
    async apply(admin) {
      const id = await idOf(admin, 'external-jwt-signers', 'bench provider');
      const path = `/edge/management/v1/external-jwt-signers/${id}`;
      return await admin.call('PATCH', path, { enabled: false });
    },
  },
];

interface Scene extends Stage {
  readonly admin: ApiClient;
  readonly smoke: boolean;
  /** How many sessions a change is to end. */
  readonly sessions: number;
}

async function measureOne(scene: Scene, change: Change): Promise<EndingMeasurement> {
  const { controller, generator, network, admin, smoke } = scene;
  const countSessions = () => admin.count(`/edge/management/v1/${change.list}?limit=1`);
  const before = await countSessions();
  await change.makeSessions(scene);
  const sessions = (await countSessions()) - before;
  const others = othersJob(controller, network);
  const measureMs = smoke ? 500 : askMs;
  const peace = await pausesWhile(controller, () => generator.run({ ...others, measureMs }));
  const { lastLsn } = readLogFigures(controller.home);
  const { result, pauses } = await pausesWhile(controller, async () => {
    const asking = generator.run({ ...others, measureMs });
    const startAt = performance.now();
    await change.apply(admin);
    const answerMs = performance.now() - startAt;
    const leftAtOnce = (await countSessions()) - before;
    return { answerMs, leftAtOnce, asked: await asking };
  });
  const { answerMs, leftAtOnce, asked } = result;
  const operations = readOperations(controller.home, lastLsn);
  const decided = operations.findLast(({ operation }) => !endingWork.has(operation));
  const last = operations.at(-1);
  return {
    title: change.title,
    sessions,
    leftAtOnce,
    answerMs,
    doneMs: (last?.timeMs ?? 0) - (decided?.timeMs ?? 0),
    frames: operations.length,
    inPeace: peace.pauses,
    pauses,
    othersMs: figuresOf(asked.latency),
    wrong: peace.result.wrong + asked.wrong + (leftAtOnce === 0 ? 0 : 1),
  };
}

/**
 * Many sessions in each of the callers' API sessions, with services that only the callers' policies
 * reach.
 */
async function makeServiceSessions({ network, sessions }: Scene, type: string): Promise<void> {
  const { callerTokens, serviceIds, bulk } = network;
  const each = sessions / callerTokens.length;
  const body = JSON.stringify({ serviceId: '{{service}}', type });
  const create = post('/edge/client/v1/sessions', '{{token}}', body, {
    token: { kind: 'list', values: callerTokens, every: 1 },
    service: { kind: 'list', values: serviceIds.slice(-each), every: callerTokens.length },
  });
  await bulk(sessions, create, sessionCreated);
}

/** Many API sessions that depend on one external JWT signer. */
async function makeApiSessions(scene: Scene): Promise<void> {
  const { network, sessions } = scene;
  const provider = await providerOf({
    target: scene.controller,
    network,
    runName: 'endings',
    sentBefore: 0,
  });
  const jwts = network.identityIds.map(provider);
  await network.bulk(sessions, jwtLogin(jwts, true), loggedIn);
}

async function idOf(admin: ApiClient, kind: string, name: string): Promise<string> {
  const query = new URLSearchParams({ filter: `name = "${name}"` });
  const rows = await admin.call('GET', `/edge/management/v1/${kind}?${query}`);
  return (rows as readonly { readonly id: string }[])[0]?.id ?? '';
}
