// A thread that floods a controller with logins of a user who does not exist.

import { parentPort, workerData } from 'node:worker_threads';
import { Pool } from 'undici';

/** Where the flood goes, and from where. */
export interface Flood {
  readonly url: string;
  readonly ca: string;
  /** Local address of its connections. */
  readonly address: string;
  readonly connections: number;
}

/** What came of it. */
export interface FloodFigures {
  readonly attempts: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<number, number>>;
}

const port = parentPort;
if (port !== null) {
  const { url, ca, address, connections } = workerData as Flood;
  const pool = new Pool(url, { connections, localAddress: address, connect: { ca } });
  const statuses: Record<number, number> = {};
  let attempts = 0;
  let isOver = false;
  let isTold = false;
  const tell = () => {
    if (!isTold) port.postMessage('begun');
    isTold = true;
  };

  /** One connection: the next attempt follows each answer at once. */
  const attack = async (): Promise<void> => {
    while (!isOver) {
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/edge/client/v1/authenticate?method=password',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username: 'nobody', password: 'wrong-password' }),
      });
      await body.dump();
      attempts += 1;
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
      // Refusals mean that the queue is full.
      if (statusCode === 429) tell();
    }
  };

  port.once('message', () => {
    isOver = true;
    void pool.destroy();
    port.postMessage({ attempts, statuses } satisfies FloodFigures);
  });
  // Where none comes, the queue is longer than the flood.
  setTimeout(tell, 5000);
  for (let number = 0; number < connections; number++) attack().catch(() => undefined);
}
