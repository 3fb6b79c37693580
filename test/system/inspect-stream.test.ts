// The stream over real TLS with the real process: watched, filtered, slow, logged out, drained; and
// a Stately inspector behind it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { t } from 'tap';
import type { StreamMessage } from '../../src/inspect/messages.ts';
import { openWebSocket, type Refused, type WebSocketClient } from '../http/web-socket-client.ts';
import { type Api, connect, createUser, logIn, management } from './client.ts';
import { freePort } from './free-ports.ts';
import { directUrlOf, makeHome, type Serving, serve } from './process.ts';

const path = `${management}/inspect/stream`;
const root = join(import.meta.dirname, '../..');

async function connection({ ca }: Serving, port: number): Promise<TLSSocket> {
  const socket = connectTls({ host: '127.0.0.1', port, servername: 'localhost', ca });
  await once(socket, 'secureConnect');
  return socket;
}

async function ticketOf(api: Api): Promise<string> {
  return String((await api.ask('POST', `${management}/inspect/tickets`))['ticket']);
}

async function attach(
  serving: Serving,
  api: Api,
  { query = '', port = serving.port } = {},
): Promise<WebSocketClient> {
  const url = `${path}?ticket=${await ticketOf(api)}${query}`;
  return await openWebSocket(await connection(serving, port), url);
}

const created = (name: string) => (message: StreamMessage) =>
  message.type === 'transitions' && message.transitions.some((one) => one.actorName === name);

t.test('on both listeners an administrator looks on, until the session ends', async (t) => {
  const home = makeHome(t);
  const serving = await serve(t, home, ['--direct-listen', '127.0.0.1:0']);
  const direct = Number(new URL(await directUrlOf(serving.process)).port);
  const http = connect(t, serving);
  const admin = await logIn(http);
  const watching = await logIn(http);
  const ends: WebSocketClient[] = [];
  for (const port of [serving.port, direct]) {
    const client = await attach(serving, watching, { port });
    t.match(JSON.parse(await client.next()), { type: 'attached' });
    t.match(await client.until((one: StreamMessage) => one.type === 'figures'), {
      figures: { inspectors: Number },
    });
    await createUser(admin, `user-${port}`, 'secret-secret');
    t.ok(await client.until(created('admin')));
    ends.push(client);
  }
  const ticket = await ticketOf(admin);
  const stranger = { origin: 'https://evil.example' };
  const refused = await openWebSocket(
    await connection(serving, serving.port),
    `${path}?ticket=${ticket}`,
    stranger,
  ).catch((error) => error as Refused);
  t.match(refused, { status: 403, body: /UNAUTHORIZED/ });

  await watching.ask('DELETE', '/edge/client/v1/current-api-session');
  for (const client of ends) t.match(await client.closed, { code: 1008 });

  const last = await attach(serving, admin);
  const other = await attach(serving, admin, { port: direct });
  const { code, stderr } = await serving.process.stop();
  t.equal(code, 0);
  t.match(await last.closed, { code: 1001 });
  t.match(await other.closed, { code: 1001 });
  t.notOk(stderr.includes(ticket));
});

t.test('an inspector that does not read gets less and slows nobody', async (t) => {
  const serving = await serve(t, makeHome(t, { limits: { inspectorBufferBytesMax: 1024 } }));
  const admin = await logIn(connect(t, serving, 8));
  const slow = await attach(serving, admin);
  const quick = await attach(serving, admin);
  await slow.next();
  slow.tls.pause();
  const body = { type: 'User', isAdmin: false };
  for (let round = 0; round < 20; round++) {
    const names = Array.from({ length: 50 }, (_, n) => `user-${round}-${n}`);
    await Promise.all(names.map((name) => admin.create('identities', { ...body, name })));
  }
  let seen = 0;
  while (seen < 1000) {
    const message = await quick.until((one: StreamMessage) => one.type === 'transitions');
    if (message.type !== 'transitions') continue;
    seen += message.transitions.length + message.dropped;
  }
  t.equal(seen, 1000, 'told or counted, each once');
  slow.tls.resume();
  seen = 0;
  while (seen < 1000) {
    const message = await slow.until((one: StreamMessage) => one.type === 'transitions');
    if (message.type !== 'transitions') continue;
    seen += message.transitions.length + message.dropped;
  }
  t.equal(seen, 1000, 'also of who came late');
  slow.tls.destroy();
  quick.tls.destroy();
});

/** A process of Node that trusts the controller's CA. */
function node(
  t: { teardown(done: () => void): void },
  { home }: Serving,
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
): ChildProcess {
  const child = spawn(join(root, 'node_modules/.bin/node'), words, {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      NODE_EXTRA_CA_CERTS: join(home, 'pki/ca.pem'),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

/** Reads lines of a process until one holds all parts; it is read on, so that it can go on. */
async function lineWith(child: ChildProcess, ...parts: string[]): Promise<string> {
  let text = '';
  return await new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const lines = text.split('\n').slice(0, -1);
      const line = lines.find((one) => parts.every((part) => one.includes(part)));
      if (line !== undefined) resolve(line);
    });
    child.once('exit', () => reject(new Error(`never said ${parts.join(' and ')}: ${text}`)));
  });
}

const receiver = `
import { createWebSocketReceiver } from '@statelyai/inspect';
createWebSocketReceiver({ server: process.env.SERVER }).subscribe((event) =>
  console.log(JSON.stringify(event)));
`;

t.test('their receiver takes the stream as it is', async (t) => {
  const serving = await serve(t, makeHome(t));
  const admin = await logIn(connect(t, serving));
  const ticket = await ticketOf(admin);
  const server = `wss://localhost:${serving.port}${path}?format=stately&ticket=${ticket}`;
  const words = ['--input-type=module', '--eval', receiver];
  const child = node(t, serving, words, { SERVER: server });
  const found = lineWith(child, '@xstate.snapshot', '"enabled"');
  await beset(admin, found);
  t.match(JSON.parse(await found), { snapshot: { value: 'enabled' }, _version: '0.7.2' });
});

t.test('the bridge brings the stream to their server and its inspectors', async (t) => {
  const serving = await serve(t, makeHome(t));
  const admin = await logIn(connect(t, serving));
  const port = await freePort();
  const script =
    "import { createInspectorServer } from '@statelyai/inspect/server';" +
    `createInspectorServer({ port: ${port}, autoOpen: false }); console.log('listening');`;
  const words = ['--input-type=module', '--eval'];
  await lineWith(node(t, serving, [...words, script], {}), 'listening');
  const at = `ws://localhost:${port}`;
  const seen = lineWith(node(t, serving, [...words, receiver], { SERVER: at }), '"router', 'actor');
  const bridge = node(
    t,
    serving,
    [
      'bin/stately-bridge.mjs',
      serving.url.replace('127.0.0.1', 'localhost'),
      at,
      'kind = "router"',
    ],
    {
      ZT_SESSION: admin.token,
    },
  );
  await lineWith(bridge, 'attached');
  await admin.create('edge-routers', { name: 'r1' });
  t.match(JSON.parse(await seen), { type: '@xstate.actor', definition: String });
  const ended = once(bridge, 'exit');
  await serving.process.stop();
  t.same((await ended)[0], 1, 'it ends with the controller');
});

/** Makes identities until somebody has seen one: nobody says when a receiver is there. */
async function beset(admin: Api, seen: Promise<unknown>): Promise<void> {
  let isSeen = false;
  void seen.finally(() => {
    isSeen = true;
  });
  for (let n = 0; !isSeen; n++) {
    await admin.create('identities', { name: `user-${n}`, type: 'User', isAdmin: false });
  }
}
