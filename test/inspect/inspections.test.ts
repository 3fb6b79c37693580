// Inspections over the fabric API (behaviour/fabric#inspections).

import t from 'tap';
import { contentTypes } from '../../src/channel/content-types.ts';
import { decodeMessage, encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { masked, shownValue } from '../../src/inspect/server/inspections/masked-answers.ts';
import {
  type Inspected,
  RouterInspections,
  routerInspectionBounds,
} from '../../src/inspect/server/inspections/router-inspections.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';
import { type RecordedRouter, receivedFrame, recordedRouter } from '../simulated/routers.ts';

interface Inspection {
  readonly success: boolean;
  readonly errors: readonly string[] | null;
  readonly values: readonly { appId: string; name: string; value: unknown }[] | null;
}

async function inspect(network: Network, appRegex: string, ...requestedValues: string[]) {
  const answer = await network.call('POST', 'F:/inspections', {
    body: { appRegex, requestedValues },
  });
  return answer.json() as Inspection;
}

/** A router of this name, connected by a recorded channel. */
async function connected(network: Network, name: string): Promise<RecordedRouter> {
  const router = recordedRouter(await network.create('edge-routers', { name }));
  network.env.connectedRouters.set(router);
  return router;
}

function answerOf(values: Readonly<Record<string, string>>, errors: readonly string[] = []) {
  const told = Object.entries(values).map(([name, value]) => ({ name, value }));
  const body = encodeMessage(fabric.InspectResponse, {
    success: true,
    errors: [...errors],
    values: told,
  });
  return receivedFrame(contentTypes.inspectResponse, body);
}

t.test('the controller tells of itself', async (t) => {
  const network = await bootNetwork();
  const router = await connected(network, 'edge');
  const id = network.env.trust.trustDomain;
  const known =
    'stackdump metrics metrics:prometheus config connected-routers terminator-costs ' +
    'router-messaging identity-connection-statuses';
  const asked = `${known} cluster-config nothing`.split(' ');
  const found = await inspect(network, `^${id}$`, ...asked);
  t.match(found, { success: true, errors: null });
  const values = new Map(found.values?.map(({ appId, name, value }) => [name, { appId, value }]));
  t.equal([...values.keys()].join(' '), known);
  t.match(values.get('connected-routers'), { appId: id, value: [{ id: router.id, name: 'edge' }] });
  t.match(values.get('terminator-costs'), { value: [] });
  t.match(values.get('router-messaging'), { value: { pending: [{ routerId: router.id }] } });
  t.match(values.get('config'), { value: { home: String } });
  t.match(router.channel.requests, []);
  await network.stop();
});

t.test('nobody who matches is a success without values', async (t) => {
  const network = await bootNetwork();
  t.strictSame(await inspect(network, '^nobody$', 'config'), {
    success: true,
    errors: null,
    values: null,
  });
  t.strictSame(await inspect(network, '.'), { success: true, errors: null, values: null });
  await network.stop();
});

t.test('an expression that is none is told as an error', async (t) => {
  const network = await bootNetwork();
  for (const expression of ['(', '(a)\\1', 'a'.repeat(1001)]) {
    const { success, errors, values } = await inspect(network, expression, 'config');
    t.equal(success, false);
    t.match(errors?.[0], new RegExp(`^${network.env.trust.trustDomain}: `));
    t.equal(values, null);
  }
  await network.stop();
});

t.test('routers are asked by id or name, and what they tell is masked', async (t) => {
  const network = await bootNetwork();
  const [north, south] = [await connected(network, 'north'), await connected(network, 'south')];
  const asking = inspect(network, 'north', 'sdk-terminators', 'terminator-costs');
  await network.clock.settle();
  const [question] = north.channel.requests;
  t.same(south.channel.requests, []);
  const { requestedValues } = decodeMessage(
    fabric.InspectRequest,
    question?.message.body ?? Buffer.alloc(0),
  );
  t.same(requestedValues, ['sdk-terminators'], 'not what the controller alone knows');
  const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';
  const told = { entries: [{ token: jwt, id: 't1', note: `by ${jwt}` }] };
  question?.waiter(answerOf({ 'sdk-terminators': JSON.stringify(told) }, ['half of it']));
  const found = await asking;
  t.strictSame(found, {
    success: false,
    errors: [`${north.id}: half of it`],
    values: [
      {
        appId: north.id,
        name: 'sdk-terminators',
        value: { entries: [{ token: '******', id: 't1', note: 'by ******' }] },
      },
    ],
  });
  await network.stop();
});

t.test('a router that does not answer holds the others up for 9 s at most', async (t) => {
  const network = await bootNetwork();
  const [north, south] = [await connected(network, 'north'), await connected(network, 'south')];
  const asking = inspect(network, 'north|south', 'links');
  await network.clock.settle();
  north.channel.requests[0]?.waiter(answerOf({ links: '{}' }));
  south.channel.requests[0]?.waiter(undefined);
  t.match(await asking, { success: true, values: [{ appId: north.id, value: {} }] });
  t.equal(south.channel.requests[0]?.timeoutMs, 9000);
  await network.stop();
});

t.test('few inspections run at the same time', async (t) => {
  const network = await bootNetwork();
  const router = await connected(network, 'north');
  const body = { appRegex: 'north', requestedValues: ['links'] };
  const call = () => network.call('POST', 'F:/inspections', { body });
  const running = [call(), call(), call(), call()];
  await network.clock.settle();
  t.match(await call(), { status: 429, code: 'SERVER_TOO_MANY_REQUESTS' });
  for (const { waiter } of router.channel.requests) waiter(undefined);
  for (const answer of await Promise.all(running)) t.match(answer, { status: 200 });
  await network.stop();
});

t.test('some routers are asked at a time, and answers are bounded', async (t) => {
  const bounds = {
    ...routerInspectionBounds,
    routersAskedMax: 2,
    routerAnswerBytesMax: 200,
    inspectionCharactersMax: 1000,
  };
  const routers = ['a', 'b', 'c', 'd', 'e'].map((id) => recordedRouter(id));
  const into: Inspected = { values: [], errors: [] };
  let leftMs = 1000;
  const asking = new RouterInspections(['x'], into, bounds).ask(routers, () => leftMs);
  const asked = () => routers.map(({ channel }) => channel.requests.length).join('');
  const answer = async (at: number, frame: ReturnType<typeof receivedFrame>) => {
    routers[at]?.channel.requests[0]?.waiter(frame);
    await Promise.resolve();
    await Promise.resolve();
  };
  t.equal(asked(), '11000');
  await answer(1, answerOf({ x: 'y'.repeat(201) }));
  t.equal(asked(), '11100');
  await answer(0, answerOf({ x: 'fine' }));
  t.equal(asked(), '11110');
  leftMs = 0;
  await answer(2, receivedFrame(contentTypes.inspectResponse, Buffer.from([255])));
  await answer(3, receivedFrame(contentTypes.result, Buffer.alloc(0)));
  await asking;
  t.equal(asked(), '11110', 'no time is left for the last one');
  t.same(into.errors.map((error) => error.split(':')[0]).sort(), ['b', 'c', 'd']);
  t.end();
});

t.test('secrets are masked wherever they stand', async (t) => {
  const pem = '-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----';
  t.strictSame(masked({ password: 'x', apiToken: ['x'], key: 'x', count: 1, list: [pem, 'a'] }), {
    password: '******',
    apiToken: '******',
    key: '******',
    count: 1,
    list: ['******', 'a'],
  });
  t.equal(shownValue('plain'), 'plain');
  t.equal(shownValue('{"broken'), '{"broken');
  t.strictSame(shownValue(' [1, {"secret": ""}]'), [1, { secret: '' }]);
  const deep = JSON.parse(`${'['.repeat(100)}"x"${']'.repeat(100)}`);
  t.notOk(JSON.stringify(masked(deep)).includes('"x"'));
});
