// A small server for tests of the load generator's loops, and a job for it.

import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import type { Job } from '../../bench/load/job.ts';
import { makeServerIdentity } from './server-identity.ts';

/** What a served test works with. */
export interface LoopServer {
  readonly server: Server;
  readonly job: Job;
  /** Paths asked for, in order. */
  readonly seen: string[];
}

/** Serves `{"id":"./things/<path>"}`; `answer` says the status of the n-th request, or holds it. */
export async function serveLoop(
  t: Test,
  answer: (n: number) => number | Promise<number>,
  isChunked = false,
): Promise<LoopServer> {
  const identity = await makeServerIdentity(t);
  const seen: string[] = [];
  const server = createServer(identity.options, (request, response) => {
    seen.push(request.url ?? '');
    const body = `{"id":"./things/${request.url?.slice(1)}"}`;
    void Promise.resolve(answer(seen.length)).then((status) => {
      response.writeHead(status, isChunked ? {} : { 'content-length': body.length });
      response.write(body.slice(0, 4));
      response.end(body.slice(4));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const job: Job = {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    caFile: identity.caFile,
    serverPid: process.pid,
    connections: 3,
    warmUpMs: 0,
    measureMs: 3_600_000,
    firstRequest: 7,
    requestsMax: 50,
    request: {
      method: 'GET',
      path: '/{{n}}',
      headers: {},
      body: '',
      slots: { n: { kind: 'number', digits: 4 } },
    },
    expect: { status: 200, idAfter: '"./things/' },
    collectIds: true,
  };
  return { server, job, seen };
}
