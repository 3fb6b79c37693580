// Questions to routers about their terminators, as `ziti fabric validate terminators` asks them.

import t, { type Test } from 'tap';
import { contentTypes } from '../../src/channel/content-types.ts';
import { decodeMessage, encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { validations } from '../../src/events/socket/fabric-types.ts';
import { bootNetwork, noTraffic } from '../simulated/network.ts';
import { type RecordedRouter, recordedRouter } from '../simulated/routers.ts';
import { connectClient, type FabricClient } from './fabric-client.ts';

/** Two connected routers with terminators of one service, and one that is away. */
async function hosted(t: Test) {
  const network = await bootNetwork({ traffic: noTraffic });
  t.teardown(() => network.stop());
  const service = await network.create('services', { name: 'printer', encryptionRequired: false });
  const ids: Record<string, string> = {};
  const routers: Record<string, RecordedRouter> = {};
  for (const [router, terminators] of [
    ['a', ['a1', 'a2', 'a3']],
    ['b', ['b1']],
    ['away', ['away1']],
  ] as const) {
    const id = await network.create('edge-routers', { name: router });
    if (router !== 'away') {
      routers[router] = recordedRouter(id);
      network.env.connectedRouters.set(routers[router]);
    }
    for (const name of terminators) {
      const body = { service, router: id, binding: 'transport', address: `tcp:${name}:80` };
      ids[name] = await network.create('terminators', body);
    }
  }
  return { network, client: connectClient(network), routers, ids };
}

function ask(client: FabricClient, request: fabric.TerminatorValidationRequest.$Properties): void {
  client.ask(
    validations.terminators,
    encodeMessage(fabric.TerminatorValidationRequest, {
      filter: '',
      fixInvalid: false,
      ...request,
    }),
  );
}

const answersOf = (client: FabricClient) =>
  client.frames().map(({ body }) => decodeMessage(fabric.ValidationAnswer, body));

/** By address: the state, and what is said about it. */
function resultsOf(client: FabricClient) {
  const frames = client.frames();
  if (frames.some(({ contentType }) => contentType !== 10_102)) throw new Error('no result');
  const results = frames.map(({ body }) => decodeMessage(fabric.TerminatorValidationResult, body));
  return Object.fromEntries(
    results.map(({ address, state, detail }) => [address, [state, detail]]),
  );
}

type States = Record<string, fabric.RouterTerminatorState.$Properties>;

/** Answers the oldest question; without states there is no answer. */
function tell(router: RecordedRouter | undefined, states?: States | Buffer): void {
  const body = Buffer.isBuffer(states)
    ? states
    : encodeMessage(fabric.ValidateTerminatorsV2Response, { states: states ?? {} });
  const { validateTerminatorsV2Response: contentType } = contentTypes;
  const reply = { contentType, sequence: 1, headers: new Map(), body };
  router?.channel.requests.shift()?.waiter(states && reply);
}

t.test('each terminator has a state, which its router tells', async (t) => {
  const { network, client, routers, ids } = await hosted(t);
  ask(client, { filter: 'true' });
  await network.advance(0);
  t.match(answersOf(client), [{ success: true, count: 5 }]);
  const { message } = routers['a']?.channel.requests[0] ?? {};
  t.equal(message?.contentType, 1041);
  const asked = decodeMessage(
    fabric.ValidateTerminatorsV2Request,
    message?.body ?? Buffer.alloc(0),
  );
  t.equal(asked.fixInvalid, false, 'nothing is removed');
  t.match(asked.terminators, [
    { id: ids['a1'], binding: 'transport', address: 'tcp:a1:80' },
    {},
    {},
  ]);
  tell(routers['a'], {
    [ids['a1'] ?? '']: { valid: true, reason: 0, detail: '', marker: 1 },
    [ids['a2'] ?? '']: { valid: false, reason: 1, detail: 'no such thing', marker: 1 },
    [ids['b1'] ?? '']: { valid: false, reason: 1, detail: 'of another router', marker: 1 },
  });
  tell(routers['b'], {
    [ids['b1'] ?? '']: { valid: false, reason: 2, detail: 'x'.repeat(1000), marker: 1 },
  });
  await network.advance(0);
  t.same(resultsOf(client), {
    'tcp:a1:80': [0, ''],
    'tcp:a2:80': [3, 'no such thing'],
    'tcp:a3:80': [1, 'its router says nothing of it'],
    'tcp:b1:80': [4, 'x'.repeat(200)],
    'tcp:away1:80': [1, 'its router is not connected'],
  });
});

t.test('routers that do not answer, or with what is of no use', async (t) => {
  const { network, client, routers } = await hosted(t);
  const ofB = { filter: 'router.name = "b"' };
  for (const [answer, detail] of [
    [undefined, 'its router has not answered in time'],
    [Buffer.from('ff', 'hex'), 'the answer of its router cannot be read'],
    [Buffer.alloc(4 * 1024 * 1024 + 1), 'the answer of its router is too large'],
  ] as const) {
    ask(client, ofB);
    await network.advance(0);
    t.match(answersOf(client), [{ success: true, count: 1 }]);
    tell(routers['b'], answer);
    await network.advance(0);
    t.same(resultsOf(client), { 'tcp:b1:80': [1, detail] });
  }
});

t.test('the filter chooses terminators', async (t) => {
  const { network, client, ids } = await hosted(t);
  for (const [filter, answer] of [
    ['service.name = "nobody"', { success: true, count: 0 }],
    [`id = "${ids['a1']}"`, { success: true, count: 1 }],
    ['colour = "red"', { success: false, message: /^the filter is not valid: / }],
  ] as const) {
    ask(client, { filter });
    await network.advance(0);
    t.match(answersOf(client), [answer], filter);
  }
});

t.test('nothing is removed on request', async (t) => {
  const { network, client, routers } = await hosted(t);
  ask(client, { fixInvalid: true });
  await network.advance(0);
  t.match(answersOf(client), [{ success: false, message: /^terminators are not removed/ }]);
  t.same(routers['a']?.channel.requests, []);
});

t.test('it counts as one of the inspections, of which four run at once', async (t) => {
  const { network, client, routers } = await hosted(t);
  for (let n = 0; n < 4; n++) ask(client, {});
  await network.advance(0);
  t.same(
    answersOf(client).map(({ success }) => success),
    [true, true, true, true],
  );
  const other = connectClient(network);
  ask(other, {});
  await network.advance(0);
  t.match(answersOf(other), [{ success: false, message: 'too many inspections are under way' }]);
  for (let n = 0; n < 4; n++) for (const name of ['a', 'b']) tell(routers[name]);
  await network.advance(0);
  ask(other, {});
  await network.advance(0);
  t.match(answersOf(other), [{ success: true, count: 5 }]);
});
