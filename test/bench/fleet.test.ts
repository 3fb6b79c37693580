// The fleet of the bench against a controller that refuses, with every answer that it has for an
// attempt. Building the program takes half a minute where nothing is cached.

import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import { buildFleet, Fleet } from '../../bench/routers/fleet.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { encodeFrame, FrameReader } from '../../src/channel/frame.ts';
import { booleanValue, encodeHeaders, headerKeys, textValue } from '../../src/channel/headers.ts';
import { edge, encodeMessage } from '../../src/channel/messages/messages.ts';
import { isNightly } from '../campaigns.ts';
import { Lacking } from '../system/endings.ts';
import { makeServerIdentity } from './server-identity.ts';

/** Routers of the test. */
const count = 3;

const skip = isNightly ? false : 'NIGHTLY=1 builds the fleet';

t.test('attempts for nothing are counted until the hello is accepted', { skip }, async (t) => {
  const program = programOr(t);
  if (program === undefined) return;
  const { options, caFile } = await makeServerIdentity(t);
  const attempts = new Map<string, number>();
  const clientHellos: string[] = [];
  const server = createServer({ ...options, ALPNProtocols: ['ziti-ctrl'] }, (socket) => {
    const reader = new FrameReader();
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      reader.push(bytes);
      for (let frame = reader.next(); frame !== undefined; frame = reader.next()) {
        const { contentType, headers, body } = frame;
        if (contentType === contentTypes.clientHello) {
          clientHellos.push(`${headers.get(headerKeys.replyFor)?.readInt32LE()}`);
          sendState(socket);
        }
        if (contentType !== contentTypes.hello) continue;
        const attempt = (attempts.get(body.toString()) ?? 0) + 1;
        attempts.set(body.toString(), attempt);
        if (attempt === 1) socket.destroy();
        else answer(socket, attempt > 2);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fleet = new Fleet(program);
  t.teardown(() => {
    fleet.stop();
    server.close();
  });
  const target = {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    serverName: 'localhost',
    ca: readFileSync(caFile, 'utf8'),
    keyPem: options.key.toString(),
  };
  const routers = Array.from({ length: count }, (_, n) => ({
    id: `router-${n}`,
    chainPem: options.cert.toString(),
  }));
  const dialing = { firstPauseMs: 1, longestPauseMs: 2, keyExchanges: [29] };
  await fleet.prepare(target, routers, { ...dialing, apiSessionsEach: 3 });
  const greeted = await fleet.ask({ kind: 'connect', spreadMs: 0, timeoutMs: 60_000 });
  t.equal(greeted.helloMs.length, count);
  t.equal(greeted.forNothing, 2 * count, 'one was closed, one was refused');
  t.equal(greeted.keyExchange, 'X25519');
  const synced = await fleet.ask({ kind: 'sync', timeoutMs: 60_000 });
  t.match(synced, { connected: count, wrong: 0, lost: 0, forNothing: 2 * count });
  t.equal(synced.syncedMs.length, count);
  t.same(
    clientHellos,
    Array.from({ length: count }, () => '7'),
  );
});

function programOr(t: Test): string | undefined {
  try {
    return buildFleet();
  } catch (thrown) {
    if (!(thrown instanceof Lacking)) throw thrown;
    t.plan(0, thrown.message);
    return undefined;
  }
}

/** A result and, if the hello is accepted, the controller's own hello. */
function answer(socket: TLSSocket, isAccepted: boolean): void {
  const headers = encodeHeaders([[headerKeys.resultSuccess, booleanValue(isAccepted)]]);
  const chunks: Buffer[] = [];
  encodeFrame({ contentType: contentTypes.result, sequence: -1, headers }, chunks);
  if (isAccepted) encodeFrame({ contentType: contentTypes.serverHello, sequence: 7 }, chunks);
  socket.write(Buffer.concat(chunks));
  if (!isAccepted) socket.end();
}

/** Three API sessions in two messages. */
function sendState(socket: TLSSocket): void {
  const chunks: Buffer[] = [];
  for (const tokens of [['one', 'two'], ['three']]) {
    const apiSessions = tokens.map((token) => ({ token }));
    const body = encodeMessage(edge.ApiSessionAdded, { isFullState: true, apiSessions });
    const state = textValue(`{"isLast":${tokens.length === 1}}`);
    const headers = encodeHeaders([[1014, state]]);
    encodeFrame({ contentType: contentTypes.apiSessionAdded, sequence: 8, headers, body }, chunks);
  }
  socket.write(Buffer.concat(chunks));
}
