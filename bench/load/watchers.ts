// A process of inspectors: some read the transitions that they are sent, the others never read.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type TLSSocket } from 'node:tls';
import { openWebSocket, type WebSocketClient } from '../../test/http/web-socket-client.ts';

/** A message to the process. */
export type WatchersJob =
  | {
      readonly kind: 'attach';
      readonly port: number;
      readonly caFile: string;
      /** One ticket per inspector. */
      readonly tickets: readonly string[];
      /** How many of the inspectors read. */
      readonly reading: number;
    }
  /** Asks for the counts since the last question. */
  | { readonly kind: 'count' }
  | { readonly kind: 'detach' };

/** The answer of the process. */
export interface WatchersAnswer {
  readonly attached: number;
  /** Transitions that all readers together received, and that they were told they missed. */
  readonly told: number;
  readonly missed: number;
}

const path = '/edge/management/v1/inspect/stream?ticket=';
let clients: WebSocketClient[] = [];

async function attach(job: Extract<WatchersJob, { kind: 'attach' }>): Promise<void> {
  const ca = readFileSync(job.caFile);
  for (const [n, ticket] of job.tickets.entries()) {
    const socket = connect({ host: '127.0.0.1', port: job.port, servername: 'localhost', ca });
    await once(socket satisfies TLSSocket, 'secureConnect');
    const client = await openWebSocket(socket, `${path}${ticket}`);
    await client.next();
    if (n >= job.reading) client.tls.pause();
    clients.push(client);
  }
}

/**
 * Transitions are counted by their first bytes, because parsing them would cost the machine more
 * than sending them.
 */
function count(): WatchersAnswer {
  let told = 0;
  let missed = 0;
  for (const { messages } of clients) {
    for (const message of messages.splice(0)) {
      if (!message.startsWith('{"type":"transitions"')) continue;
      told += message.split('{"lsn":').length - 1;
      missed += Number(/"dropped":(\d+)/.exec(message.slice(-60))?.[1] ?? 0);
    }
  }
  const attached = clients.filter(({ tls }) => !tls.destroyed).length;
  return { attached, told, missed };
}

process.on('message', (job: WatchersJob) => {
  void (async () => {
    if (job.kind === 'attach') await attach(job);
    const answer = count();
    if (job.kind === 'detach') {
      for (const { tls } of clients) tls.destroy();
      clients = [];
    }
    process.send?.(answer);
  })();
});
process.on('disconnect', () => process.exit(0));
