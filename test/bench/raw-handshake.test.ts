// The server of raw handshakes: it answers the load generator, and is left out where it is missing.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { handshakePath, startHandshakeServer } from '../../bench/limits/raw-handshake.ts';
import { runClosedLoop } from '../../bench/load/closed-loop.ts';
import { makeServerIdentity } from './server-identity.ts';

const isMissing = spawnSync('openssl', ['version']).error !== undefined;

t.test('a machine without openssl has no such server', async (t) => {
  const home = t.testdir({ home: {} });
  t.equal(await startHandshakeServer(join(home, 'home'), 'no-such-openssl'), undefined);
  t.equal(await startHandshakeServer(join(home, 'home'), 'false'), undefined, 'it ends at once');
});

t.test('handshakes, each with an answer', { skip: isMissing && 'no openssl' }, async (t) => {
  const { caFile, home } = await makeServerIdentity(t);
  const server = await startHandshakeServer(home);
  if (server === undefined) throw new Error('it did not start');
  t.teardown(() => server.stop());
  const result = await runClosedLoop({
    host: '127.0.0.1',
    port: server.port,
    caFile,
    serverPid: server.pid,
    connections: 2,
    warmUpMs: 0,
    measureMs: 60_000,
    firstRequest: 0,
    requestsMax: 6,
    isFresh: true,
    request: { method: 'GET', path: handshakePath, headers: {}, body: '', slots: {} },
    expect: { status: 200 },
    collectIds: false,
  });
  t.same(result.wrongSamples, []);
  t.equal(result.sent, 6);
});
