// A process of programs that read events on the WebSocket of the fabric API.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { encodeFrame } from '../../src/channel/frame.ts';
import { fabricTypes } from '../../src/events/socket/fabric-types.ts';
import type { EventType } from '../../src/observe/events.ts';
import { openWebSocket, type WebSocketClient } from '../../test/http/web-socket-client.ts';

/** A message to the process. */
export type EventReadersJob =
  | {
      readonly kind: 'attach';
      readonly port: number;
      readonly caFile: string;
      readonly token: string;
      readonly count: number;
      readonly type: EventType;
    }
  | { readonly kind: 'detach' };

/** The answer of the process. */
export interface EventReadersAnswer {
  /** Frames that all readers together have received since they were attached. */
  readonly frames: number;
  /** How many are still connected. */
  readonly attached: number;
}

let clients: WebSocketClient[] = [];
let frames = 0;

async function attach(job: Extract<EventReadersJob, { kind: 'attach' }>): Promise<void> {
  const ca = readFileSync(job.caFile);
  const body = Buffer.from(JSON.stringify({ format: 'json', subscriptions: [{ type: job.type }] }));
  const subscription: Buffer[] = [];
  encodeFrame({ contentType: fabricTypes.streamEvents, sequence: 1, body }, subscription);
  frames = 0;
  for (let n = 0; n < job.count; n++) {
    const socket = connect({ host: '127.0.0.1', port: job.port, servername: 'localhost', ca });
    await once(socket, 'secureConnect');
    const client = await openWebSocket(socket, '/fabric/v1/ws-api', { 'zt-session': job.token });
    client.frame(0x82, Buffer.concat(subscription));
    // The result of the subscription.
    while (client.binaries.length === 0) await once(socket, 'data');
    socket.on('data', () => drop(client));
    clients.push(client);
  }
}

/** Frames are counted and dropped: parsing them would cost the machine more than sending them. */
function drop({ binaries }: WebSocketClient): void {
  frames += binaries.length;
  binaries.length = 0;
}

process.on('message', (job: EventReadersJob) => {
  void (async () => {
    if (job.kind === 'attach') await attach(job);
    const attached = clients.filter(({ tls }) => !tls.destroyed).length;
    if (job.kind === 'detach') {
      for (const { tls } of clients) tls.destroy();
      clients = [];
    }
    process.send?.({ frames, attached } satisfies EventReadersAnswer);
  })();
});
process.on('disconnect', () => process.exit(0));
