// A front of a cluster that answers what a test tells it, over plain HTTP.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Test } from 'tap';
import { Dice } from '../dice.ts';
import type { Fronts } from './front-client.ts';
import { RetryingClient } from './retrying-client.ts';

/** A request as it came. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly token: string;
}

/** The answer that it gets; `lost` closes the connection instead. */
export type Said = 'lost' | { readonly status: number; readonly [part: string]: unknown };

/** Says that a request was not carried out. */
export const notDone = { status: 503, error: { code: 'STORAGE_UNAVAILABLE' } } as const;

/** Says that nobody knows. */
export const nobodyKnows = { status: 503, error: { code: 'OUTCOME_UNKNOWN' } } as const;

/** Starts one. @returns the fronts of a cluster, all of which are this one */
export async function pretendFront(t: Test, answerTo: (asked: Asked) => Said): Promise<Fronts> {
  const server = createServer((request, response) => {
    const parts: string[] = [];
    request.setEncoding('utf8').on('data', (text: string) => parts.push(text));
    request.on('end', () => {
      const { method = '', url: path = '', headers, socket } = request;
      const token = String(headers['zt-session'] ?? '');
      const said = answerTo({ method, path, body: parts.join(''), token });
      if (said === 'lost') {
        socket.destroy();
        return;
      }
      const { status, ...envelope } = said;
      response.writeHead(status).end(JSON.stringify(envelope));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return () => ({ url: `http://127.0.0.1:${port}`, ca: '' });
}

/** A client of such a front that sends a request again at once. */
export function clientOf(t: Test, fronts: Fronts, retryForMs?: number) {
  const counts = { unknown: 0, undone: 0, doneBefore: 0 };
  const http = new RetryingClient({
    fronts,
    front: 0,
    dice: new Dice('pretended'),
    counts,
    retryPauseMs: 0,
    ...(retryForMs === undefined ? {} : { retryForMs }),
  });
  t.teardown(() => http.close());
  return { http, counts };
}
