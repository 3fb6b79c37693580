// The closed loop against a small server of the test's own: counts, ids, ends, wrong answers.

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { runClosedLoop } from '../../bench/load/closed-loop.ts';
import { Histogram } from '../../bench/load/histogram.ts';
import type { Job } from '../../bench/load/job.ts';
import { nodeDisk } from '../../snapshots/disk.ts';
import { openAuthority } from '../../src/pki/authority.ts';
import { systemClock, systemRandom } from '../../src/system.ts';

async function serve(
  t: Test,
  status: (n: number) => number,
): Promise<{ server: Server; job: Job; seen: string[] }> {
  const directory = t.testdir();
  await openAuthority({
    ...{ disk: nodeDisk, clock: systemClock, random: systemRandom, directory },
    host: 'localhost',
    settings: { keyType: 'ec-p256' },
  });
  const seen: string[] = [];
  const server = createServer(
    {
      key: readFileSync(join(directory, 'server.key')),
      cert: readFileSync(join(directory, 'server.pem')),
    },
    (request, response) => {
      seen.push(request.url ?? '');
      const body = `{"id":"./things/${request.url?.slice(1)}"}`;
      response.writeHead(status(seen.length), { 'content-length': body.length });
      response.end(body);
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  writeFileSync(join(directory, 'touched'), '');
  const job: Job = {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    caFile: join(directory, 'ca.pem'),
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

t.test(
  'sends so many requests and no more, each once, and answers their ids in order',
  async (t) => {
    const { job, seen } = await serve(t, () => 200);
    const result = await runClosedLoop(job);
    t.equal(result.sent, 50);
    t.equal(result.answered, 50);
    t.equal(new Set(seen).size, 50);
    t.equal(result.wrong, 0);
    t.equal(result.distinctIds, 50);
    t.same(
      result.ids,
      Array.from({ length: 50 }, (_, n) => String(n + 7).padStart(4, '0')),
    );
    const histogram = new Histogram();
    histogram.add(result.latency);
    t.equal(histogram.total, 50);
  },
);

t.test('ends when the lists of the request are through', async (t) => {
  const { job, seen } = await serve(t, () => 200);
  const values = ['aaaa', 'bbbb', 'cccc'];
  const slots = { n: { kind: 'list', values, every: 1 } } as const;
  const result = await runClosedLoop({
    ...job,
    firstRequest: 1,
    request: { ...job.request, slots },
  });
  t.equal(result.sent, 2);
  t.same(seen.toSorted(), ['/bbbb', '/cccc']);
});

t.test('counts wrong answers', async (t) => {
  const { job } = await serve(t, (n) => (n % 10 === 0 ? 500 : 200));
  const result = await runClosedLoop(job);
  t.equal(result.wrong, 5);
  t.match(result.wrongSamples[0], /status 500/);
});

t.test('a server that goes away ends the job', async (t) => {
  const { job, server } = await serve(t, (n) => {
    if (n === 20) server.closeAllConnections();
    return 200;
  });
  const result = await runClosedLoop(job);
  t.ok(result.wrong > 0);
  t.match(result.wrongSamples.join(), /connection lost/);
});
