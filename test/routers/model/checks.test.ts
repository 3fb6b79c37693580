// Routers are asked how their model of the network differs
// (behaviour/control-channel#router-data-model).

import t, { type Test } from 'tap';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { edge, encodeMessage } from '../../../src/channel/messages/messages.ts';
import { NaiveRouter } from '../../model/naive-router.ts';
import { ModelTraffic } from '../../model/router-model-run.ts';
import { Network } from '../../simulated/network.ts';
import { handleWhole, receivedFrame, recordedRouter } from '../../simulated/routers.ts';

/** One edge router that knows the model. */
async function scene(t: Test) {
  const traffic = new ModelTraffic();
  const network = new Network({ traffic: traffic.parts });
  await network.open();
  t.teardown(() => network.stop());
  await network.logInAdmin();
  const id = await network.create('edge-routers', { name: 'one' });
  const router = recordedRouter(id);
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await network.advance(10);
  };
  const subscribe = async () => {
    network.env.store.fence.begin();
    const type = contentTypes.subscribeToModel;
    const { handlers } = traffic.of(network).model;
    handleWhole(handlers.get(type), router, receivedFrame(type, new NaiveRouter().ask()));
    await settle();
  };
  const check = () => network.call('POST', `M:/edge-routers/${id}/model/check`);
  const model = async () => (await network.call('GET', `M:/edge-routers/${id}/model`)).data;
  /** The router answers the newest request, or the time passes. */
  const answer = (response?: edge.RouterDataModelValidateResponse.$Properties) => {
    const contentType = contentTypes.validateModelResponse;
    const body = encodeMessage(edge.RouterDataModelValidateResponse, response ?? {});
    router.channel.requests
      .pop()
      ?.waiter(response && { contentType, body, sequence: 1, headers: new Map() });
  };
  return { network, router, settle, subscribe, check, model, answer };
}

t.test('a router tells what differs', async (t) => {
  const { router, settle, subscribe, check, model, answer } = await scene(t);
  await subscribe();
  t.match(await model(), {
    isSubscribed: true,
    lag: 0,
    lastFullState: { reason: 'it knew no model' },
  });
  const answered = check();
  await settle();
  const [request] = router.channel.requests;
  t.equal(request?.message.contentType, contentTypes.validateModel);
  const { state, fix } = edge.RouterDataModelValidateRequest.decode(
    request?.message.body ?? Buffer.alloc(0),
  );
  t.notOk(fix, 'the router changes nothing');
  t.not(state?.events?.length ?? 0, 0);
  answer({
    origEntityCounts: { routers: 2 },
    copyEntityCounts: { routers: 1 },
    diffs: [{ entityType: 'router', entityId: 'r', diffType: 'extra', detail: 'it is unknown' }],
  });
  t.match(await answered, {
    status: 200,
    data: {
      isSame: false,
      routerCounts: { routers: 2 },
      controllerCounts: { routers: 1 },
      differences: ['router r: extra (it is unknown)'],
    },
  });
  t.match(await check(), { status: 429 }, 'once per minute');
});

t.test('a router that does not answer', async (t) => {
  const { settle, subscribe, check, answer } = await scene(t);
  await subscribe();
  const answered = check();
  await settle();
  t.match(await check(), { status: 429 }, 'one at a time');
  answer();
  t.match(await answered, { status: 503 });
});

t.test('a router that lies at length', async (t) => {
  const { network, settle, subscribe, check, answer } = await scene(t);
  await subscribe();
  const answered = check();
  await settle();
  const many = Array.from({ length: 5000 }, (_, at) => at);
  const long = 'x'.repeat(2000);
  answer({
    origEntityCounts: Object.fromEntries(many.map((at) => [`${at}${long}`, 1])),
    diffs: many.map((at) => ({
      entityType: `${at}`,
      entityId: long,
      diffType: long,
      detail: long,
    })),
  });
  const { data } = await answered;
  const { routerCounts, differences } = data as {
    readonly routerCounts: object;
    readonly differences: readonly string[];
  };
  t.equal(Object.keys(routerCounts).length, 100);
  t.equal(differences.length, 1000);
  t.ok(JSON.stringify(data).length < 2_000_000);
  t.same(network.ends, []);
});
