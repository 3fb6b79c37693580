// A process that has few file descriptors, and one that has none left.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { type Test, t } from 'tap';
import { connect, createUser, logIn, management } from './client.ts';
import { fewDescriptors } from './hostile/descriptors.ts';
import { logLines, makeHome, type Serving, startProcess, whenReady } from './process.ts';
import { tls } from './raw-connection.ts';

t.setTimeout(120_000);

const mebibyte = 1024 * 1024;
const attacker = '127.0.0.2';

/** Ballast for the log: some ten of them fill a segment. */
const ballast = 'x'.repeat(900_000);

const ask = 'GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Connects, and asks something where that is let in; undefined where it is closed instead. */
async function speaking(t: Test, { port, ca }: Serving): Promise<TLSSocket | undefined> {
  const at = { host: '127.0.0.1', port, localAddress: attacker };
  const socket = connectTls({ ...at, ca, servername: 'localhost' });
  t.teardown(() => socket.destroy());
  socket.on('error', () => undefined);
  socket.on('secureConnect', () => {
    socket.write(ask);
  });
  const isAnswered = await Promise.race([
    once(socket, 'data').then(
      () => true,
      () => false,
    ),
    new Promise<boolean>((resolve) => void socket.once('close', () => resolve(false))),
  ]);
  return isAnswered ? socket : undefined;
}

t.test('an administrator is answered while others have all connections', async (t) => {
  const limits = { segmentBytes: 8 * mebibyte, snapshotIntervalMs: 0 };
  const home = makeHome(t, { limits });
  const started = startProcess(t, home, [], fewDescriptors(282));
  const serving = await whenReady(started, home);
  const { pid = 0 } = started.child;
  // Each of two workers reserves 11, that of the control port 11 more; it has 55 % of the rest.
  const connectionsMax = Math.floor(((282 - 200 - 3 * 11) * 0.45) / 3);
  await started.says('stderr', 'per TLS worker than are configured"}\n');
  const [told] = logLines(started.stderr).filter(({ openFiles }) => openFiles !== undefined);
  t.match(told, { level: 'info', openFiles: 282, connectionsMax, configured: 20_000 });
  const admin = await logIn(connect(t, serving));
  const user = await createUser(admin, 'ballast', 'of the test');

  const attacking: TLSSocket[] = [];
  for (let count = 0; count < 80; count += 1) {
    const socket = await speaking(t, serving);
    if (socket !== undefined) attacking.push(socket);
    // The administrator's connection is not one that the client would open again.
    if (count % 10 === 0) await admin.ask('GET', `${management}/identities/${user}`);
  }
  t.equal(attacking.length, 80, 'each one displaces the oldest of the same address');
  const open = () => attacking.filter(({ closed }) => !closed);
  while (open().length > connectionsMax - 1) {
    await Promise.race(open().map((socket) => once(socket, 'close')));
  }
  t.equal(open().length, connectionsMax - 1);
  t.ok(readdirSync(`/proc/${pid}/fd`).length < 282);

  for (let count = 0; count < 20; count += 1) {
    const path = `${management}/identities/${user}`;
    await admin.ask('PATCH', path, { appData: { ballast: `${count}${ballast}` } });
  }
  t.equal((await admin.call('POST', `${management}/database/snapshot`)).status, 200);
  t.equal(logLines(started.stderr).filter(({ state }) => state === 'stalled').length, 0);

  for (const socket of attacking) socket.destroy();
  let back: TLSSocket | undefined;
  while (back === undefined) back = await speaking(t, serving);
  t.equal((await started.stop()).code, 0);
});

t.test('a process without any descriptor left goes on once it has some', async (t) => {
  const limits = {
    segmentBytes: 8 * mebibyte,
    snapshotIntervalMs: 0,
    stalledWriteAnswerMs: 300,
    silentTimeoutMs: 100_000,
  };
  const home = makeHome(t, { limits });
  const started = startProcess(t, home);
  const serving = await whenReady(started, home);
  const { pid = 0 } = started.child;
  const admin = await logIn(connect(t, serving));
  const user = await createUser(admin, 'ballast', 'of the test');
  const path = `${management}/identities/${user}`;
  const setLimit = (openFiles: number) => {
    execFileSync('prlimit', ['--pid', String(pid), `--nofile=${openFiles}:`]);
  };

  const silent = await tls(t, serving);
  setLimit(16);
  silent.socket.write(ask);
  let written = 0;
  let status = 200;
  while (status === 200 && written < 60) {
    const body = { appData: { ballast: `${written}${ballast}` } };
    status = (await admin.call('PATCH', path, body)).status;
    written += 1;
  }
  t.equal(status, 503, 'the segment is full, and no other can be opened');
  await started.says('stderr', '"reason":"EMFILE');
  t.equal((await admin.call('GET', `${management}/version`)).status, 200, 'reads go on');
  const snapshot = await admin.call('POST', `${management}/database/snapshot`);
  t.equal(snapshot.status, 503);
  const waiting = speaking(t, serving);
  t.equal((await admin.call('GET', `${management}/version`)).status, 200);

  setLimit(4096);
  await started.says('stderr', 'the log accepts writes again');
  t.equal((await admin.call('PATCH', path, { appData: { again: true } })).status, 200);
  t.equal((await admin.call('POST', `${management}/database/snapshot`)).status, 200);
  t.ok(await waiting, 'who waited is let in');
  await silent.receives('HTTP/1.1 200 OK');
  t.equal((await started.stop()).code, 0);
});
