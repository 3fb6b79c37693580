// An enrolled router that asks for the model of the network a thousand times per second, each time
// as one that knows something else, and one that reads nothing of it. An honest router follows the
// changes of an administrator meanwhile.

import { setTimeout as sleep } from 'node:timers/promises';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { edge, encodeMessage } from '../../../src/channel/messages/messages.ts';
import { NaiveRouter } from '../../model/naive-router.ts';
import type { RouterTwin } from '../../simulated/router-twin.ts';
import { type Api, connect, createNetwork, logIn } from '../client.ts';
import type { Endings } from '../endings.ts';
import type { Serving } from '../process.ts';
import { connectTwinAtLast, controlPortOf, enrollTwins } from './enrolled-twins.ts';
import { type Outcome, quantile, unmet } from './outcome.ts';

const requestsPerSecond = 1000;
/** Requests of a router that may be answered at once, and per minute after that. */
const answersPerMinute = 5;
/** Records of each kind, so that a model takes some 100 KB. */
const recordsEach = 200;
const p99MsMax = 1000;
/** How long the honest router has for the model, and for the last change. */
const modelMsMax = 3000;

/** Attacks for so long. */
export async function attackByModelRequests(
  endings: Endings,
  target: Serving,
  seconds: number,
): Promise<Outcome> {
  const admin = await logIn(connect(endings, target, 4));
  await createNetwork(admin, recordsEach);
  for (let n = 0; n < recordsEach; n += 1) await createIdentity(admin, `identity ${n}`);
  const { honest, asking, silent, close } = await connectRouters(admin, target);
  const follower = new HonestRouter(honest);
  await until(() => follower.naive.fulls > 0);
  const answers = countAnswers(asking);
  silent.wire.pause();
  silent.send(request({ subscriptionId: 'silent' }));
  const startedMs = performance.now();
  const elapsed = () => (performance.now() - startedMs) / 1000;
  const createdMs: number[] = [];
  let requests = 0;
  while (elapsed() < seconds) {
    for (; requests < elapsed() * requestsPerSecond; requests += 1) asking.send(lie(requests));
    const beganMs = performance.now();
    await createIdentity(admin, `late ${createdMs.length}`);
    createdMs.push(performance.now() - beganMs);
    await sleep(5);
  }
  await until(() => follower.known >= createdMs.length);
  const figures = {
    requests,
    answers: answers.count,
    changes: createdMs.length,
    followed: follower.known,
    p99Ms: quantile(createdMs, 0.99),
  };
  const { misses, fulls } = follower.naive;
  const failures = unmet({
    'The honest router does not know each change.': follower.known === createdMs.length,
    'The honest router missed a change on the way, or got the model again.':
      misses === 0 && fulls === 1,
    'The honest router lost its connection.': !honest.isClosed,
    'The router that asks too often was answered too often.':
      answers.count <= answersPerMinute * (2 + seconds / 60),
    'No request of it was answered, so nothing was tried.': answers.count > 0,
  });
  close();
  const slow = unmet({
    'The p99 of the administrator was not under 1 s.': figures.p99Ms < p99MsMax,
  });
  return { attack: 'requests for the model', figures, failures, slow };
}

/** Waits for something, but not for long. */
async function until(isThere: () => boolean): Promise<void> {
  const endMs = performance.now() + modelMsMax;
  while (!isThere() && performance.now() < endMs) await sleep(20);
}

async function createIdentity(admin: Api, name: string): Promise<void> {
  await admin.create('identities', { name, type: 'Default', isAdmin: false });
}

async function connectRouters(admin: Api, { ca }: Serving) {
  const names = ['honest', 'asking', 'silent'];
  const port = await controlPortOf(admin);
  const twins = new Map<string, RouterTwin>();
  for (const router of await enrollTwins(admin, names, ca)) {
    const localAddress = router.name === 'honest' ? '127.0.0.1' : '127.0.0.2';
    const twin = await connectTwinAtLast(router, { port, localAddress, keeps: false });
    if (twin !== undefined) twins.set(router.name, twin);
  }
  const of = (name: string): RouterTwin => {
    const twin = twins.get(name);
    if (twin === undefined) throw new Error(`router ${name} was not accepted`);
    return twin;
  };
  const close = () => {
    for (const twin of twins.values()) twin.close();
  };
  return { honest: of('honest'), asking: of('asking'), silent: of('silent'), close };
}

const request = (fields: edge.SubscribeToDataModelRequest.$Properties) => ({
  contentType: contentTypes.subscribeToModel,
  body: encodeMessage(edge.SubscribeToDataModelRequest, {
    subscriptionDurationSeconds: 300,
    ...fields,
  }),
});

/** A request of a router that knows nothing, another time line, an old index, or the future. */
function lie(number: number) {
  const timelineId = number % 2 === 0 ? '' : 'another';
  const currentIndex = [0, 1, 7, 2 ** 40][number % 4] ?? 0;
  return request({ subscriptionId: `lie ${number}`, timelineId, currentIndex });
}

/** Counts the models that a router is sent. */
function countAnswers(twin: RouterTwin) {
  const answers = { count: 0 };
  twin.handle(contentTypes.modelState, () => {
    answers.count += 1;
  });
  return answers;
}

/** Follows the model as stock routers do. */
class HonestRouter {
  readonly naive = new NaiveRouter();
  /** Identities that were created during the attack, as it knows them. */
  known = 0;

  constructor(twin: RouterTwin) {
    for (const type of [contentTypes.modelState, contentTypes.modelChanges]) {
      twin.handle(type, ({ contentType, body }) => {
        if (this.naive.take({ contentType, body })) twin.send(this.#request());
        if (contentType !== contentTypes.modelChanges) return;
        for (const { identity } of edge.ChangeSet.decode(body).changes) {
          if (identity?.name?.startsWith('late ')) this.known += 1;
        }
      });
    }
    twin.send(this.#request());
  }

  #request() {
    return { contentType: contentTypes.subscribeToModel, body: this.naive.ask() };
  }
}
