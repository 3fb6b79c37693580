// A physical limit: the TLS front and uWebSockets.js with a handler that does nothing, for the same
// client.

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Connections } from '../../src/http/front/peers.ts';
import { startTlsFront } from '../../src/http/front/tls-front.ts';
import type { FrontLimits } from '../../src/http/front/tls-messages.ts';
import { directOrigin, frontOrigin } from '../../src/http/server/origin.ts';
import { RequestTurns } from '../../src/http/server/request-turns.ts';
import { startServer } from '../../src/http/server/server.ts';
import { unixSocketPlace } from '../../src/http/server/unix-socket.ts';
import { systemClock } from '../../src/platform/clock-and-random.ts';
import type { HttpHandler, HttpReply } from '../../src/platform/http-exchange.ts';

/** The message of the process when it serves. */
export interface EmptyHandlerReady {
  readonly port: number;
  readonly directPort: number;
}

// High enough that no bound affects the measurement.
const frontLimits: FrontLimits = {
  connectionsMax: 1000,
  connectionsPerAddressMax: 20_000,
  descriptorsMax: 60_000,
  controlPortDescriptorsMax: 0,
  controlPendingMax: 1000,
  controlPendingPerAddressMax: 1000,
  controlWaitMs: 4_000,
  controlHandshakesMax: 256,
  clientHelloBytesMax: 16_384,
  clientHelloTimeoutMs: 3_000,
  handshakesUnfinishedMax: 1024,
  handshakesPerTurnMax: 8,
  handshakeGraceMs: 2_000,
  handshakeTimeoutMs: 60_000,
  headerBytesMax: 32_768,
  silentTimeoutMs: 600_000,
  idleTimeoutMs: 600_000,
  parkAfterMs: 9000,
  lingerTimeoutMs: 1000,
  certificatesMax: 8,
  certificatesBytesMax: 65_536,
};
const serverLimits = {
  headerBytesMax: 32_768,
  bodyBytesMax: 1 << 20,
  bodiesBytesMax: 1 << 24,
  unsentBytesMax: 1 << 28,
  bodyTimeoutMs: 60_000,
  requestTurnMs: 1000,
};

const answerBody = JSON.stringify({ data: { text: 'x'.repeat(250) }, meta: {} });
const answerHeaders = [['content-type', 'application/json']] as const;

const handler: HttpHandler = (_request, reply) => reply.send(200, answerHeaders, answerBody);

/** Serves with the keys of a controller's home. */
async function serve(home: string): Promise<EmptyHandlerReady> {
  const certificateFile = join(home, 'pki/server.pem');
  const keyFile = join(home, 'pki/server.key');
  const place = unixSocketPlace(join(home, 'bench-run'), 'empty.sock');
  const connections = new Connections(frontLimits.connectionsMax);
  const turns = new RequestTurns(systemClock, serverLimits);
  const common = {
    handler,
    tooLarge: handler,
    failed: fail,
    clock: systemClock,
    turns,
    malformed: (_fault: unknown, reply: HttpReply) => reply.send(400, [], ''),
  };
  const origin = frontOrigin(place.path, connections, (slot) => front.finish(slot));
  await startServer({ ...common, origin, limits: serverLimits });
  const front = await startTlsFront({
    host: '127.0.0.1',
    port: 0,
    workers: Math.max(1, availableParallelism() - 1),
    server: {
      certificate: readFileSync(certificateFile, 'utf8'),
      key: readFileSync(keyFile, 'utf8'),
    },
    socketPath: place.path,
    connections,
    limits: frontLimits,
    failed: fail,
  });
  const direct = directOrigin({ host: '127.0.0.1', port: 0, certificateFile, keyFile });
  const directServer = await startServer({ ...common, origin: direct, limits: serverLimits });
  return { port: front.port, directPort: directServer.port };
}

function fail(error: unknown): void {
  process.stderr.write(`the empty handler: ${error}\n`);
  process.exit(1);
}

process.on('disconnect', () => process.exit(0));
process.send?.(await serve(process.argv[2] ?? ''));
