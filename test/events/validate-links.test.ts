// Comparisons of the links of routers with those of the controller, as `ziti fabric validate
// router-links` asks for them.

import t, { type Test } from 'tap';
import type { MachineEvent } from '../../machines/machine.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { decodeMessage, encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { validations } from '../../src/events/socket/fabric-types.ts';
import { bootNetwork, noTraffic } from '../simulated/network.ts';
import { type RecordedRouter, recordedRouter } from '../simulated/routers.ts';
import { connectClient, type FabricClient } from './fabric-client.ts';

/** Two routers, of which `a` has dialed the link L1 to `b`. */
async function linked(t: Test) {
  const network = await bootNetwork({ traffic: noTraffic });
  t.teardown(() => network.stop());
  const a = recordedRouter(await network.create('edge-routers', { name: 'a' }));
  const b = recordedRouter(await network.create('edge-routers', { name: 'b' }));
  for (const router of [a, b]) network.env.connectedRouters.set(router);
  const fields = { sourceRouter: a.id, destRouter: b.id, protocol: 'tls', dialAddress: 'tls:b:1' };
  const report = { type: 'report', iteration: 1, isReachable: true, isRefresh: false };
  network.env.store.fence.begin();
  network.env.store.transact({ actor: '', requestId: '', operation: 'test' }, (tx) => {
    const event = { ...report, refusal: '', fields, now: tx.now };
    network.env.send(tx, 'link', 'L1', event as MachineEvent);
  });
  return { network, client: connectClient(network), a, b };
}

function ask(client: FabricClient, filter: string): void {
  client.ask(validations['router-links'], encodeMessage(fabric.ValidationRequest, { filter }));
}

/** Answers the oldest question of the controller with these values. */
function tell(router: RecordedRouter, values: Readonly<Record<string, unknown>>): void {
  const body = encodeMessage(fabric.InspectResponse, {
    success: true,
    values: Object.entries(values).map(([name, value]) => ({ name, value: JSON.stringify(value) })),
  });
  const { inspectResponse: contentType } = contentTypes;
  router.channel.requests.shift()?.waiter({ contentType, sequence: 1, headers: new Map(), body });
}

const answersOf = (client: FabricClient) =>
  client.frames().map(({ body }) => decodeMessage(fabric.ValidationAnswer, body));

/** Results by the name of the router. */
function resultsOf(client: FabricClient) {
  const frames = client.frames();
  if (frames.some(({ contentType }) => contentType !== 10_105)) throw new Error('no result');
  const results = frames.map(({ body }) => decodeMessage(fabric.ValidationResult, body));
  return Object.fromEntries(
    results.map(({ routerName, validateSuccess, message }) => [
      routerName,
      validateSuccess ? true : message,
    ]),
  );
}

t.test('links of routers are compared with those of the controller', async (t) => {
  const { network, client, a, b } = await linked(t);
  ask(client, 'true');
  await network.advance(0);
  t.match(answersOf(client), [{ success: true, count: 2 }]);
  tell(a, { links: { links: [{ id: 'L1' }] } });
  tell(b, { links: { links: [{ id: 'L2' }] }, other: { links: [{ id: 'L1' }] } });
  await network.advance(0);
  t.same(resultsOf(client), {
    a: true,
    b: 'the router does not know L1; the controller does not know L2',
  });
});

t.test('a router that tells nothing, and one whose answer is of no use', async (t) => {
  const { network, client, a, b } = await linked(t);
  ask(client, 'true');
  await network.advance(0);
  client.frames();
  tell(a, { links: { links: 'many' } });
  await network.advance(9000);
  b.channel.requests.shift()?.waiter(undefined);
  await network.advance(0);
  t.same(resultsOf(client), {
    a: 'the router has not told its links',
    b: 'the router has not told its links',
  });
});

t.test('the sentence about a router is short, whatever the router says', async (t) => {
  const { network, client, a, b } = await linked(t);
  ask(client, 'true');
  await network.advance(0);
  client.frames();
  const links = Array.from({ length: 12 }, (_, n) => ({ id: `${n}`.padEnd(50_000, 'x') }));
  tell(a, { links: { links: [{ id: 'L1' }, ...links] } });
  tell(b, { links: { links: [{ id: 'L1' }, { id: { toString: 1 } }, { id: ['y'] }, null] } });
  await network.advance(0);
  const { a: long, b: strange } = resultsOf(client);
  t.match(long, /^the controller does not know 0x+…, 1x+…, .* and 2 more$/);
  t.ok(String(long).length < 2500);
  t.equal(strange, 'the controller does not know a link without an id');
});

t.test('an answer that is too large is told', async (t) => {
  const { network, client, a, b } = await linked(t);
  ask(client, 'true');
  await network.advance(0);
  client.frames();
  tell(a, { links: { links: [{ id: 'x'.repeat(2 ** 20) }] } });
  tell(b, { links: { links: [{ id: 'L1' }] } });
  await network.advance(0);
  t.same(resultsOf(client), {
    a: 'the router has not told its links: the answer is too large',
    b: true,
  });
});

t.test('it counts as one of the inspections, of which four run at once', async (t) => {
  const { network, client, a, b } = await linked(t);
  for (let n = 0; n < 4; n++) ask(client, 'true');
  await network.advance(0);
  t.same(
    answersOf(client).map(({ success }) => success),
    [true, true, true, true],
  );
  const other = connectClient(network);
  ask(other, 'true');
  await network.advance(0);
  t.match(answersOf(other), [{ success: false, message: 'too many inspections are under way' }]);
  const inspection = { appRegex: network.env.trust.trustDomain, requestedValues: ['config'] };
  const inspect = () => network.call('POST', 'F:/inspections', { body: inspection });
  t.match(await inspect(), { status: 429 });
  for (let n = 0; n < 4; n++) {
    for (const router of [a, b]) tell(router, { links: { links: [{ id: 'L1' }] } });
  }
  await network.advance(0);
  t.same(resultsOf(client), { a: true, b: true });
  t.match(await inspect(), { status: 200 });
});

t.test('the filter chooses routers', async (t) => {
  const { network, client, a } = await linked(t);
  for (const [filter, answer] of [
    ['name = "nobody"', { success: true, count: 0 }],
    [`id = "${a.id}"`, { success: true, count: 1 }],
    ['colour = "red"', { success: false, message: /^the filter is not valid: / }],
    ['', { success: true, count: 2 }],
  ] as const) {
    ask(client, filter);
    await network.advance(0);
    t.match(answersOf(client), [answer], filter);
  }
});
