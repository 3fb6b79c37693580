// The relay of the campaign: what goes through it, and what does not while it is cut.

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { Endings } from '../endings.ts';
import { type Cut, Relay } from './relay.ts';

/** Far more turns than a few bytes need on loopback. */
const turns = 200;

/** A server that answers each text in capitals, and a relay before it. */
async function opened(test: Test) {
  const endings = new Endings();
  test.teardown(() => endings.run());
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.setEncoding('utf8').on('data', (text: string) => {
      heard.push(text);
      socket.write(text.toUpperCase());
    });
  }).listen(0, '127.0.0.1');
  endings.teardown(() => server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { relay: await Relay.open(endings, () => port), heard };
}

/** A client that has been answered once, and what it hears. */
async function connected({ port }: Relay, test: Test) {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  test.teardown(() => socket.destroy());
  socket.write('a');
  const [answer] = await once(socket, 'data');
  test.equal(answer, 'A');
  return socket;
}

async function aWhile(): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
}

/** Resolves when it is closed, by a reset or otherwise. */
async function closeOf(socket: Socket): Promise<void> {
  await new Promise((resolve) => socket.on('error', () => undefined).on('close', resolve));
}

async function answerOf(socket: Socket): Promise<unknown> {
  const [answer] = await once(socket, 'data');
  return answer;
}

t.test('connections are reset, and new ones are, too, until the cut ends', async (t) => {
  const { relay } = await opened(t);
  const socket = await connected(relay, t);
  const ended = closeOf(socket);
  relay.cut('refused');
  await ended;
  await closeOf(connect(relay.port, '127.0.0.1'));
  relay.heal();
  await connected(relay, t);
});

for (const how of ['silent', 'unanswered'] as const satisfies readonly Cut[]) {
  t.test(`while it is ${how}, nothing comes back; all of it does afterwards`, async (t) => {
    const { relay, heard } = await opened(t);
    const socket = await connected(relay, t);
    relay.cut(how);
    const answers: string[] = [];
    const note = (text: string) => void answers.push(text);
    socket.on('data', note).write('b');
    const late = connect(relay.port, '127.0.0.1').setEncoding('utf8');
    t.teardown(() => late.destroy());
    late.write('c');
    if (how === 'unanswered') while (heard.length < 3) await setImmediate();
    else await aWhile();
    t.equal(heard.length, how === 'unanswered' ? 3 : 1);
    t.same(answers, []);
    socket.off('data', note);
    const [one, other] = [answerOf(socket), answerOf(late)];
    relay.heal();
    t.equal(await one, 'B');
    t.equal(await other, 'C');
  });
}

t.test('an end that nobody was told of shows when the cut ends', async (t) => {
  const { relay } = await opened(t);
  const socket = await connected(relay, t);
  relay.cut('silent');
  socket.resetAndDestroy();
  await aWhile();
  relay.heal();
  await connected(relay, t);
});
