// The model of routers is validated on the WebSocket (behaviour/events#the-websocket).

import t from 'tap';
import { contentTypes } from '../../src/channel/content-types.ts';
import { decodeMessage, edge, encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { validations } from '../../src/events/socket/fabric-types.ts';
import { NaiveRouter } from '../model/naive-router.ts';
import { ModelTraffic } from '../model/router-model-run.ts';
import { bootNetwork } from '../simulated/network.ts';
import {
  handleWhole,
  type RecordedRouter,
  receivedFrame,
  recordedRouter,
} from '../simulated/routers.ts';
import { connectClient } from './fabric-client.ts';

t.test('routers are asked one after the other', async (t) => {
  const traffic = new ModelTraffic();
  const network = await bootNetwork({ traffic: traffic.parts });
  t.teardown(() => network.stop());
  const client = connectClient(network);
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await network.advance(10);
  };
  const routers: RecordedRouter[] = [];
  for (const name of ['a', 'b', 'c']) {
    const router = recordedRouter(await network.create('edge-routers', { name }));
    network.env.connectedRouters.set(router);
    routers.push(router);
  }
  const [a, b] = routers;
  for (const router of routers.slice(0, 2)) {
    network.env.store.fence.begin();
    const type = contentTypes.subscribeToModel;
    const { handlers } = traffic.of(network).model;
    handleWhole(handlers.get(type), router, receivedFrame(type, new NaiveRouter().ask()));
  }
  await settle();
  const ask = (fields: fabric.ModelValidationRequest.$Properties) =>
    client.ask(
      validations['router-data-model'],
      encodeMessage(fabric.ModelValidationRequest, { validateController: true, ...fields }),
    );
  const answers = () =>
    client.frames().map(({ body }) => decodeMessage(fabric.ValidationAnswer, body));
  ask({ filter: 'true', fix: true });
  await settle();
  t.match(answers(), [{ success: false, message: /not replaced/ }]);
  ask({ filter: 'colour = 1' });
  await settle();
  t.match(answers(), [{ success: false, message: /filter is not valid/ }]);
  ask({ filter: '' });
  await settle();
  t.match(answers(), [{ success: true, count: 3 }]);
  const reply = async (
    router: RecordedRouter | undefined,
    diffs: edge.RouterDataModelDiff.$Properties[],
  ) => {
    router?.channel.requests[0]?.waiter({
      contentType: contentTypes.validateModelResponse,
      sequence: 1,
      headers: new Map(),
      body: encodeMessage(edge.RouterDataModelValidateResponse, { diffs }),
    });
    await settle();
  };
  t.equal(b?.channel.requests.length, 0, 'the second waits for the first');
  await reply(a, []);
  const diff = { entityType: 'service', diffType: 'missing', detail: '' };
  await reply(
    b,
    Array.from({ length: 150 }, (_, at) => ({ ...diff, entityId: `${at}` })),
  );
  const frames = client.frames();
  t.ok(frames.every(({ contentType }) => contentType === validations['router-data-model'] + 2));
  const results = frames.map(({ body }) => decodeMessage(fabric.ModelValidationResult, body));
  t.match(results, [
    { type: 'router', id: a?.id, name: 'a', success: true, errors: [] },
    { id: b?.id, name: 'b', success: false },
    { name: 'c', success: false, errors: ['it has not asked for the model'] },
  ]);
  t.equal(results[1]?.errors[0], 'service 0: missing');
  t.equal(results[1]?.errors.at(-1), 'and 50 more');
});
