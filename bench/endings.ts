// One change of policy that ends many sessions at once, while others go on asking.

import { ApiClient } from './api-client.ts';
import { figuresOf, type LatencyFigures } from './load/histogram.ts';
import { othersJob } from './others.ts';
import { post } from './requests.ts';
import { readLogFigures, readOperations } from './server/log-figures.ts';
import { type Pauses, pausesWhile } from './server/pauses.ts';
import { onStage, type Stage } from './stage.ts';

/** What a change did. */
export interface EndingMeasurement {
  readonly title: string;
  /** Sessions that were there, and that a list shows once the change is answered. */
  readonly sessions: number;
  readonly leftAtOnce: number;
  /** What the administrator waited for the answer to the change. */
  readonly answerMs: number;
  /** From the deciding frame to the last one of its consequences, by the log. */
  readonly doneMs: number;
  readonly frames: number;
  /** Of the main thread: in peace, and meanwhile. */
  readonly inPeace: Pauses;
  readonly pauses: Pauses;
  /** `current-api-session` of others meanwhile. */
  readonly othersMs: LatencyFigures;
  readonly wrong: number;
}

/** How long is asked around the change. */
const askMs = 3000;

/** Measures the changes on a home of their own. */
export async function measureEndings(smoke: boolean): Promise<EndingMeasurement[]> {
  const size = {
    ...{ identities: smoke ? 100 : 1000, services: smoke ? 20 : 200, visibleServices: 10 },
    ...{ routers: 2, callers: smoke ? 20 : 250, viewers: 10, apiSessionsEach: smoke ? 2 : 4 },
  };
  return await onStage({ name: 'endings', size, isWatched: true }, async (stage) => {
    const admin = new ApiClient(stage.controller);
    admin.token = stage.network.adminToken;
    const found: EndingMeasurement[] = [];
    for (const change of changes) {
      found.push(await measureOne({ ...stage, admin, smoke }, change));
    }
    return found;
  });
}

/** A change that takes the callers' right to dial, or to bind. */
interface Change {
  readonly title: string;
  readonly type: 'Dial' | 'Bind';
  readonly policy: string;
  apply(admin: ApiClient, policyId: string): Promise<unknown>;
}

const changes: readonly Change[] = [
  {
    title: 'a policy is deleted',
    type: 'Dial',
    policy: 'callers dial',
    apply: (admin, id) => admin.call('DELETE', `/edge/management/v1/service-policies/${id}`),
  },
  {
    title: 'a policy asks for a posture check that nobody passes',
    type: 'Bind',
    policy: 'callers bind',
    async apply(admin, id) {
      const check = { name: 'nobody', typeId: 'DOMAIN', domains: ['nowhere.example'] };
      const checkId = await admin.create('posture-checks', check);
      const patch = { postureCheckRoles: [`@${checkId}`] };
      return await admin.call('PATCH', `/edge/management/v1/service-policies/${id}`, patch);
    },
  },
];

interface Scene extends Stage {
  readonly admin: ApiClient;
  readonly smoke: boolean;
}

async function measureOne(scene: Scene, change: Change): Promise<EndingMeasurement> {
  const { controller, generator, network, admin, smoke } = scene;
  const sessions = await makeSessions(scene, change.type);
  const others = othersJob(controller, network);
  const measureMs = smoke ? 500 : askMs;
  const peace = await pausesWhile(controller, () => generator.run({ ...others, measureMs }));
  const policyId = await idOf(admin, change.policy);
  const { lastLsn } = readLogFigures(controller.home);
  const { result, pauses } = await pausesWhile(controller, async () => {
    const asking = generator.run({ ...others, measureMs });
    const startAt = performance.now();
    await change.apply(admin, policyId);
    const answerMs = performance.now() - startAt;
    const leftAtOnce = await countSessions(admin);
    return { answerMs, leftAtOnce, asked: await asking };
  });
  const { answerMs, leftAtOnce, asked } = result;
  const operations = readOperations(controller.home, lastLsn);
  const decided = operations.findLast(({ operation }) => operation !== 'endSessions');
  const last = operations.at(-1);
  return {
    ...{ title: change.title, sessions, leftAtOnce, answerMs },
    doneMs: (last?.timeMs ?? 0) - (decided?.timeMs ?? 0),
    frames: operations.length,
    ...{ inPeace: peace.pauses, pauses },
    othersMs: figuresOf(asked.latency),
    wrong: peace.result.wrong + asked.wrong + (leftAtOnce === 0 ? 0 : 1),
  };
}

/**
 * Ten sessions in each of the callers' API sessions, with services that only the callers' policies
 * reach. @returns how many there are now
 */
async function makeSessions({ network, admin }: Scene, type: string): Promise<number> {
  const { callerTokens, serviceIds, bulk } = network;
  const body = JSON.stringify({ serviceId: '{{service}}', type });
  const create = post('/edge/client/v1/sessions', '{{token}}', body, {
    token: { kind: 'list', values: callerTokens, every: 1 },
    service: { kind: 'list', values: serviceIds.slice(-10), every: callerTokens.length },
  });
  await bulk(callerTokens.length * 10, create, { status: 201, idAfter: '"./sessions/' });
  return await countSessions(admin);
}

async function countSessions(admin: ApiClient): Promise<number> {
  return await admin.count('/edge/management/v1/sessions?limit=1');
}

async function idOf(admin: ApiClient, name: string): Promise<string> {
  const query = new URLSearchParams({ filter: `name = "${name}"` });
  const rows = await admin.call('GET', `/edge/management/v1/service-policies?${query}`);
  return (rows as readonly { readonly id: string }[])[0]?.id ?? '';
}
