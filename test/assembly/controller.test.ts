// A whole controller over real sockets, in this process: what only the composition root does.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import { migrationMarkName, migrationReportName } from '../../snapshots/home/layout.ts';
import { startController } from '../../src/assembly/controller.ts';
import type { RunningController } from '../../src/assembly/process-context.ts';
import { sendToOwnerSocket } from '../../src/http/server/owner-socket.ts';
import { createLog } from '../../src/observe/logs.ts';
import { systemClock, systemRandom } from '../../src/platform/clock-and-random.ts';
import type { Clock } from '../../src/platform/ports.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { endProcess } from '../simulated/fatal.ts';

/** How often the controller looks at its certificate. */
const checkIntervalMs = 24 * 3600 * 1000;

const elevenMonthsMs = 340 * checkIntervalMs;

/** The machine's clock, behind by what a test says; the daily look comes when a test says so. */
class ShiftedClock implements Clock {
  behindMs = elevenMonthsMs;
  daily: () => void = () => undefined;
  now = () => systemClock.now() - this.behindMs;
  monotonic = systemClock.monotonic;
  soon = systemClock.soon;
  after(delayMs: number, task: () => void) {
    if (delayMs !== checkIntervalMs) return systemClock.after(delayMs, task);
    this.daily = task;
    return { cancel: () => undefined };
  }
}

t.test('a renewed certificate is shown to new connections, old ones stay', async (t) => {
  const home = t.testdir();
  const clock = new ShiftedClock();
  const lines: string[] = [];
  const config = loadConfig({
    flags: { home, listen: 'localhost:0', directListen: 'localhost:0', adminUser: 'admin' },
    environment: { EDGE_CONTROL_ADMIN_PASSWORD: 'admin-password' },
    directory: '/',
    cores: 2,
    readFile: () => '{"limits": {"jsonDepthMax": 8}}',
  });
  const write = (line: string) => void lines.push(line);
  const { log } = createLog({ level: 'info', clock, readable: false, write });
  const running = await startController(config, {
    clock,
    random: systemRandom,
    log,
    fatal: endProcess,
  });
  // Not in a teardown: the home is gone by then.
  try {
    await renew(t, running, clock);
    t.same(await sendToOwnerSocket(home, { order: 'clusterStepDown' }, 10_000), {
      refused: 'This controller runs in no cluster.',
    });
    t.match(lines.join(''), /the server certificate was replaced/);
    const warned = lines.filter((line) =>
      /limits\.jsonDepthMax .* its value is ignored/.test(line),
    );
    t.equal(warned.length, 1, 'a retired limit is told of once, at the start');
  } finally {
    await running.stop();
  }
});

t.test('the first start after a migration is told once', async (t) => {
  const home = t.testdir();
  const config = loadConfig({
    flags: { home, listen: 'localhost:0', adminUser: 'admin' },
    environment: { EDGE_CONTROL_ADMIN_PASSWORD: 'admin-password' },
    directory: '/',
    cores: 1,
    readFile: () => '{}',
  });
  const start = async () => {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const clock = systemClock;
    const { log } = createLog({ level: 'info', clock, readable: false, write });
    const system = { clock, random: systemRandom, log, fatal: endProcess };
    await (await startController(config, system)).stop();
    return lines.join('');
  };
  const told = /this is the first start after a migration/;
  t.notMatch(await start(), told, 'there was none');
  const counts = { identities: { read: 2, taken: 1, leftOut: 1, changed: 0 } };
  const report = { format: 1, madeAt: 'today', source: { schema: 48, sha256: '' }, counts };
  writeFileSync(join(home, migrationReportName), JSON.stringify(report));
  writeFileSync(join(home, migrationMarkName), '');
  t.match(await start(), told);
  t.notMatch(await start(), told);
  t.ok(existsSync(join(home, migrationReportName)), 'the report stays');
});

async function renew(t: Test, running: RunningController, clock: ShiftedClock): Promise<void> {
  const urls = [running.url, running.directUrl ?? ''];
  const before = await Promise.all(urls.map((url) => opened(url)));
  const old = before.map(leafOf);
  t.equal(new Set(old).size, 1);

  clock.behindMs = 0;
  clock.daily();
  await running.reopenCertificate();
  const after = await freshOnes(urls, old);
  t.equal(new Set(after.map(leafOf)).size, 1, 'both listeners show the same');
  for (const socket of [...before, ...after]) {
    t.match(await answerOf(socket), /^HTTP\/1.1 200 OK/);
    socket.destroy();
  }
}

/** A worker may take a connection before it hears of the renewal. */
async function freshOnes(urls: readonly string[], old: readonly string[]): Promise<TLSSocket[]> {
  const fresh: TLSSocket[] = [];
  for (const url of urls) {
    let socket = await opened(url);
    for (let attempt = 0; attempt < 1000 && old.includes(leafOf(socket)); attempt += 1) {
      socket.destroy();
      socket = await opened(url);
    }
    if (old.includes(leafOf(socket))) throw new Error(`${url} shows the old one`);
    fresh.push(socket);
  }
  return fresh;
}

async function opened(url: string): Promise<TLSSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  socket.on('error', () => undefined);
  await new Promise((resolve, reject) => {
    socket.once('secureConnect', resolve).once('close', () => reject(new Error('closed')));
  });
  return socket;
}

const leafOf = (socket: TLSSocket) => socket.getPeerCertificate().fingerprint256;

async function answerOf(socket: TLSSocket): Promise<string> {
  socket.write('GET /edge/client/v1/version HTTP/1.1\r\nhost: localhost\r\n\r\n');
  return await new Promise((resolve, reject) => {
    socket.once('data', (bytes) => resolve(bytes.toString()));
    socket.once('close', () => reject(new Error('closed without an answer')));
  });
}
