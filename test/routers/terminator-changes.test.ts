// Routers change and remove their terminators, tell of health, and are asked what they still serve.

import t from 'tap';
import { MalformedMessage } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { decodeMessage, edge, encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { terminatorKind } from '../../src/records/terminator.ts';
import type { RecordedRouter } from '../simulated/routers.ts';
import { bootHosting, type Hosting } from './hosting.ts';
import { questionsOf, Terminating } from './terminating.ts';

const recordOf = ({ network }: Hosting, id: string) =>
  network.env.store.table(terminatorKind).find(id)?.record;

/** A router with terminators, another router with one, and a terminator of an operator. */
async function bootServing(ids: readonly string[]) {
  const hosting = await bootHosting();
  const { network } = hosting;
  const routers = new Terminating(hosting);
  const router = routers.connect();
  for (const id of ids) await routers.bound(router, id);
  const otherId = await network.create('edge-routers', { name: 'other', isTunnelerEnabled: true });
  const other = routers.connect(otherId);
  await routers.bound(other, 'foreign');
  const made = await network.create('terminators', {
    service: hosting.service,
    router: hosting.router,
    binding: 'transport',
    address: 'tcp:x:1',
  });
  return { hosting, network, routers, router, other, made };
}

/** The last reply or result that a router got. */
function lastReply({ channel }: RecordedRouter) {
  const { message } = channel.replies.at(-1) ?? {};
  return {
    contentType: message?.contentType,
    text: message?.body?.toString('utf8'),
    headers: message?.headers?.toString('hex'),
  };
}

t.test('removal of several', async (t) => {
  const { hosting, network, routers, router, made } = await bootServing(['a', 'b', 'c']);
  const terminatorIds = ['a', 'foreign', made, 'none', 'b', 'a'];
  const body = encodeMessage(fabric.RemoveTerminatorsRequest, { terminatorIds });
  routers.receive(router, contentTypes.removeTerminators, body);
  t.match(router.channel.results, [{ isSuccess: true }]);
  t.same(new Set(hosting.terminators()), new Set(['c', 'foreign', made]));
  const many = { terminatorIds: new Array<string>(20_001).fill('') };
  t.throws(
    () =>
      routers.receive(
        router,
        contentTypes.removeTerminators,
        encodeMessage(fabric.RemoveTerminatorsRequest, many),
      ),
    MalformedMessage,
  );
  await network.stop();
});

t.test('removal of more than one frame takes', async (t) => {
  const ids = Array.from({ length: 5 }, (_, at) => `t${at}`);
  const { hosting, network, routers, router, made } = await bootServing(ids);
  const { deferredCascades } = network.env.store;
  Object.defineProperty(deferredCascades, 'rowsMax', { value: 2 });
  const body = encodeMessage(fabric.RemoveTerminatorsRequest, { terminatorIds: ids });
  routers.receive(router, contentTypes.removeTerminators, body);
  t.same(router.channel.results, []);
  await routers.settle();
  t.match(router.channel.results, [{ isSuccess: true }]);
  t.same(new Set(hosting.terminators()), new Set(['foreign', made]));
  await network.stop();
});

t.test('removal of one, in each of its forms', async (t) => {
  const { hosting, network, routers, router } = await bootServing(['a', 'b']);
  const remove = (terminatorId: string) =>
    routers.receive(
      router,
      contentTypes.removeTerminator,
      encodeMessage(fabric.RemoveTerminatorRequest, { terminatorId }),
    );
  remove('a');
  remove('foreign');
  t.match(router.channel.results, [{ isSuccess: true }, { isSuccess: true }]);
  await network.must('DELETE', `M:/sessions/${hosting.host.sessionId}`);
  t.equal(recordOf(hosting, 'b'), undefined, 'it went with the session');
  const { sessionToken } = hosting.host;
  routers.receive(
    router,
    contentTypes.edgeRemoveTerminator,
    encodeMessage(edge.RemoveTerminatorRequest, { terminatorId: 'b', sessionToken }),
  );
  t.equal(lastReply(router).contentType, contentTypes.edgeRemoveTerminatorResponse);
  await network.stop();
});

t.test('a host changes cost and precedence', async (t) => {
  const { hosting, network, routers, router, other } = await bootServing(['a']);
  const { host } = hosting;
  const change = async (
    more: edge.UpdateTerminatorRequest.$Properties,
    by: RecordedRouter = router,
  ) => {
    const body = encodeMessage(edge.UpdateTerminatorRequest, {
      terminatorId: 'a',
      apiSessionToken: host.token,
      sessionToken: host.sessionToken,
      ...more,
    });
    routers.receive(by, contentTypes.edgeUpdateTerminator, body);
    const { length } = by.channel.replies;
    await routers.settle();
    return { ...lastReply(by), wasAtOnce: length === by.channel.replies.length };
  };
  t.match(await change({ cost: 9, updateCost: true, precedence: 1 }), {
    contentType: contentTypes.edgeUpdateTerminatorResponse,
    wasAtOnce: false,
  });
  t.match(recordOf(hosting, 'a'), { cost: 9, precedence: 'default' });
  await change({ cost: 3, updatePrecedence: true, precedence: 1 });
  t.match(recordOf(hosting, 'a'), { cost: 9, precedence: 'required' });
  const refused = { contentType: contentTypes.error };
  // Code 8 and hint 3 as headers 1014 and 18.
  const unknown = 'f60300000400000008000000120000000400000003000000';
  t.match(await change({ terminatorId: 'foreign' }), { ...refused, headers: unknown });
  t.match(await change({ terminatorId: 'none' }), { ...refused, headers: unknown });
  t.match(await change({}, other), { ...refused, headers: unknown });
  t.match(await change({ apiSessionToken: '' }), refused);
  t.match(await change({ cost: 65536, updateCost: true }), refused);
  t.match(await change({ precedence: 7 as 1, updatePrecedence: true }), refused);
  const stranger = await hosting.person('stranger');
  const { token: apiSessionToken, sessionToken } = stranger;
  t.match(await change({ apiSessionToken, sessionToken }), { ...refused, headers: unknown });
  t.match(recordOf(hosting, 'a'), { cost: 9, precedence: 'required' });
  await network.stop();
});

t.test('a router changes its own terminators', async (t) => {
  const { hosting, network, routers, router, made } = await bootServing(['a']);
  const update = async (more: fabric.UpdateTerminatorRequest.$Properties) => {
    const body = encodeMessage(fabric.UpdateTerminatorRequest, { terminatorId: 'a', ...more });
    routers.receive(router, contentTypes.updateTerminator, body);
    await routers.settle();
    return router.channel.results.at(-1)?.isSuccess;
  };
  t.equal(await update({ updateCost: true, cost: 4 }), true);
  t.equal(await update({ updatePrecedence: true, precedence: 2 }), true);
  t.match(recordOf(hosting, 'a'), { cost: 4, precedence: 'failed', state: 'failed' });
  t.equal(await update({ updatePrecedence: true, precedence: 0 }), true);
  t.match(recordOf(hosting, 'a'), { cost: 4, precedence: 'default', state: 'hosted' });
  t.equal(await update({ updateCost: true, cost: 65536 }), false);
  t.equal(await update({ terminatorId: made, updateCost: true, cost: 1 }), false);
  t.equal(await update({ terminatorId: 'foreign', updateCost: true, cost: 1 }), false);
  await network.stop();
});

t.test('a tunneler changes and closes its own terminators', async (t) => {
  const { hosting, network, routers, router, other } = await bootServing(['a']);
  const create = encodeMessage(edge.CreateTunnelTerminatorRequestV2, {
    serviceId: hosting.service,
    address: 'tunnel',
  });
  routers.receive(other, contentTypes.createTunnelTerminator, create);
  const change = async (by: RecordedRouter, terminatorId: string) => {
    const body = encodeMessage(edge.UpdateTunnelTerminatorRequest, {
      terminatorId,
      cost: 8,
      updateCost: true,
    });
    routers.receive(by, contentTypes.updateTunnelTerminator, body);
    await routers.settle();
    return lastReply(by).contentType;
  };
  t.equal(await change(other, 'tunnel'), contentTypes.updateTunnelTerminatorResponse);
  t.match(recordOf(hosting, 'tunnel'), { cost: 8, binding: 'tunnel' });
  t.equal(await change(other, 'foreign'), contentTypes.error, 'one of a client');
  t.equal(await change(router, 'tunnel'), contentTypes.error);
  const close = (by: RecordedRouter, id: string) => {
    routers.receive(by, contentTypes.removeTunnelTerminator, Buffer.from(id));
    return lastReply(by).contentType;
  };
  t.equal(close(router, 'tunnel'), contentTypes.error);
  t.equal(close(other, 'tunnel'), contentTypes.removeTunnelTerminatorResponse);
  t.equal(recordOf(hosting, 'tunnel'), undefined);
  await network.stop();
});

t.test('health is counted', async (t) => {
  const { network, routers, router } = await bootServing(['a']);
  const tell = (terminatorId: string, checkPassed: boolean) =>
    routers.receive(
      router,
      contentTypes.healthEvent,
      encodeMessage(edge.HealthEventRequest, { terminatorId, checkPassed }),
    );
  tell('a', true);
  tell('a', false);
  tell('foreign', false);
  const headers = (value: number) =>
    new Map([
      [1022, Buffer.from('a')],
      [1023, Buffer.of(value)],
    ]);
  routers.receive(router, contentTypes.tunnelHealthEvent, undefined, headers(1));
  routers.receive(router, contentTypes.tunnelHealthEvent, undefined, headers(0));
  routers.receive(router, contentTypes.tunnelHealthEvent);
  t.same(routers.feature.health, { passed: 2, failed: 2 });
  t.same(router.channel.results, []);
  await network.stop();
});

/** The router answers which of its terminators it serves. */
function answer(
  routers: Terminating,
  router: RecordedRouter,
  marker: number,
  states: Readonly<Record<string, boolean>>,
): void {
  const body = encodeMessage(fabric.ValidateTerminatorsV2Response, {
    states: Object.fromEntries(
      Object.entries(states).map(([id, valid]) => [id, { valid, marker }]),
    ),
  });
  routers.receive(router, contentTypes.validateTerminatorsV2Response, body);
}

t.test('a router that comes back is asked once for what it serves', async (t) => {
  const { hosting, network, routers, router, made } = await bootServing(['a', 'b', 'c']);
  t.same(questionsOf(router), [], 'there was nothing to ask for');
  routers.disconnect(router);
  const back = routers.connect();
  const [question] = questionsOf(back);
  t.equal(questionsOf(back).length, 1);
  t.match(question, { fixInvalid: true, postCreate: true });
  t.same(question?.terminators.map(({ id }) => id).sort(), ['a', 'b', 'c'], 'not the operator’s');
  t.match(question?.terminators[0], { binding: 'edge' });
  const marker = question?.terminators[0]?.marker ?? 0;
  t.ok(marker > 0);
  answer(routers, back, marker, { a: true, b: false, c: true, foreign: false, [made]: false });
  t.same(new Set(hosting.terminators()), new Set(['a', 'c', 'foreign', made]));
  await network.advance(200_000);
  t.equal(questionsOf(back).length, 1, 'never again when the answer was whole');
  answer(routers, back, marker, { a: false });
  t.ok(recordOf(hosting, 'a'), 'nothing was asked any more');
  await network.stop();
});

t.test('what is not answered is asked again after three minutes', async (t) => {
  const { hosting, network, routers, router } = await bootServing(['a', 'b', 'c']);
  routers.disconnect(router);
  const back = routers.connect();
  const marker = questionsOf(back)[0]?.terminators[0]?.marker ?? 0;
  answer(routers, back, marker + 1, { a: false });
  t.ok(recordOf(hosting, 'a'), 'the marker of another question');
  answer(routers, back, marker, { a: true });
  await routers.bound(back, 'b');
  answer(routers, back, marker, { b: false });
  t.ok(recordOf(hosting, 'b'), 'the router has asked for it since');
  await network.advance(179_999);
  t.equal(questionsOf(back).length, 1);
  await network.advance(1);
  const [, second] = questionsOf(back);
  t.match(second, { fixInvalid: true, postCreate: false });
  t.same(
    second?.terminators.map(({ id }) => id),
    ['c'],
  );
  answer(routers, back, second?.terminators[0]?.marker ?? 0, { c: false });
  t.equal(recordOf(hosting, 'c'), undefined);
  await network.advance(200_000);
  t.equal(questionsOf(back).length, 2);
  await network.stop();
});

t.test('a router that leaves is not asked again', async (t) => {
  const { network, routers, router } = await bootServing(['a']);
  routers.disconnect(router);
  const back = routers.connect();
  routers.disconnect(back);
  await network.advance(200_000);
  t.equal(questionsOf(back).length, 1);
  const body = encodeMessage(fabric.ValidateTerminatorsV2Response, {});
  routers.receive(back, contentTypes.validateTerminatorsV2Response, body);
  t.throws(
    () => routers.receive(back, contentTypes.validateTerminatorsV2Response, Buffer.of(255)),
    MalformedMessage,
  );
  t.ok(decodeMessage(fabric.ValidateTerminatorsV2Response, body));
  await network.stop();
});
