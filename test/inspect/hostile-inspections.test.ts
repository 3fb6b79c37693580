// Inspections of very many routers, and of routers that answer with nonsense
// (behaviour/fabric#inspections).

import t, { type Test } from 'tap';
import { contentTypes } from '../../src/channel/content-types.ts';
import { encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { Fleet } from '../routers/fleet.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';
import type { RouterTwin } from '../simulated/router-twin.ts';
import { type RecordedRouter, receivedFrame, recordedRouter } from '../simulated/routers.ts';

const mebibyte = 1024 * 1024;

interface Inspection {
  readonly errors: readonly string[] | null;
  readonly values: readonly { appId: string; value: unknown }[] | null;
}

async function inspect(network: Network) {
  const body = { appRegex: '^router-', requestedValues: ['links'] };
  const answer = await network.call('POST', 'F:/inspections', { body });
  return { status: answer.status, told: answer.json() as Inspection };
}

function answerOf(value: string): Buffer {
  const values = [{ name: 'links', value }];
  return encodeMessage(fabric.InspectResponse, { success: true, errors: [], values });
}

/** Connected routers, and those of them that were asked and have not answered. */
async function many(t: Test) {
  const network = await bootNetwork();
  t.teardown(() => network.stop());
  const routers: RecordedRouter[] = [];
  for (let at = 0; at < 10_000; at++) {
    const router = recordedRouter(`router-${at}`);
    network.env.connectedRouters.set(router);
    routers.push(router);
  }
  const asked = () => routers.flatMap(({ channel }) => channel.requests.splice(0));
  return { network, asked };
}

t.test('10,000 routers that do not answer take 9 s, and 100 of them are asked', async (t) => {
  const { network, asked } = await many(t);
  const inspecting = inspect(network);
  await network.advance(0);
  const waiting = asked();
  t.equal(waiting.length, 100);
  t.ok(waiting.every(({ timeoutMs }) => timeoutMs <= 9000));
  t.match(await network.call('GET', 'M:/version'), { status: 200 }, 'others are answered');
  await network.advance(9000);
  for (const { waiter } of waiting) waiter(undefined);
  t.match(await inspecting, { status: 200, told: { errors: null, values: null } });
  t.same(asked(), [], 'no further one was asked');
});

t.test('10,000 routers that answer all they may: 16 MiB of it are kept', async (t) => {
  const { network, asked } = await many(t);
  let most = 0;
  let answered = 0;
  const inspecting = inspect(network);
  const body = answerOf('x'.repeat(60_000));
  for (;;) {
    await network.advance(0);
    const waiting = asked();
    if (waiting.length === 0) break;
    most = Math.max(most, waiting.length);
    answered += waiting.length;
    for (const { waiter } of waiting) {
      waiter(receivedFrame(contentTypes.inspectResponse, body));
    }
  }
  const { status, told } = await inspecting;
  t.equal(status, 200);
  t.equal(most, 100);
  t.equal(answered, 10_000);
  const kept = told.values?.length ?? 0;
  t.ok(kept > 250 && kept * 60_000 <= 16 * mebibyte, `${kept} answers`);
  t.equal(told.errors?.length, 10_000 - kept);
  t.match(told.errors?.[0], /: the answer is too large$/);
});

/** What a router may answer, and what is told of it. */
const nonsense: readonly (readonly [string, () => Buffer, RegExp])[] = [
  ['16 MiB', () => Buffer.alloc(16 * mebibyte, 0xa5), /too large/],
  ['1 MiB that no message is', () => Buffer.alloc(mebibyte, 0xa5), /cannot be read/],
  ['half a million empty values', () => Buffer.alloc(mebibyte, Buffer.of(0x1a, 0)), /too large/],
  ['groups without an end', () => Buffer.alloc(mebibyte, 0x23), /cannot be read|too large/],
];

t.test('a router that answers with nonsense is named, and takes no room of others', async (t) => {
  const network = await bootNetwork();
  t.teardown(() => network.stop());
  const fleet = new Fleet(network);
  const twins: RouterTwin[] = [];
  for (const name of ['router-bad', 'router-good']) {
    twins.push((await fleet.connect(await fleet.router(name))).twin);
  }
  const [bad, good] = twins;
  const answers = (twin: RouterTwin | undefined, body: Buffer) =>
    twin?.handle(contentTypes.inspectRequest, (frame) =>
      twin.reply(frame, { contentType: contentTypes.inspectResponse, body }),
    );
  answers(good, answerOf('[]'));
  for (const [what, body, error] of nonsense) {
    answers(bad, body());
    const { status, told } = await inspect(network);
    t.equal(status, 200, what);
    t.match(told, { errors: [error], values: [{ value: [] }] }, what);
    t.equal(told.errors?.length, 1, what);
  }
  answers(bad, answerOf(`${'['.repeat(500_000)}${']'.repeat(500_000)}`));
  t.match(await inspect(network), { status: 200, told: { errors: null } }, 'deep lists');
  answers(bad, answerOf('\u0001'.repeat(mebibyte - 100)));
  t.match((await inspect(network)).told.errors, [/too large/], 'text that grows as JSON');
  t.equal(bad?.isClosed, false);
  t.match(await network.call('GET', 'M:/version'), { status: 200 });
});
