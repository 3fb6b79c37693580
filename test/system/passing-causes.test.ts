// Causes that end by themselves: the exit code says so, the shipped unit starts the controller
// again, and it serves once the cause has ended. What a person has to change ends the tries.

import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import { writeMembership } from '../../snapshots/home/membership.ts';
import { exitCodes } from '../../src/commands/exit-codes.ts';
import { refusedHere, runHere } from './command-here.ts';
import { type Ended, makeHome, startProcess, whenReady } from './process.ts';
import { SmallDisk } from './small-disk.ts';
import { UnitStandIn } from './unit-stand-in.ts';

t.setTimeout(300_000);

const units = join(import.meta.dirname, '../../examples');
const unitText = readFileSync(join(units, 'systemd/edge-control.service'), 'utf8');

/** More starts than systemd permits without being told to. */
const manyStarts = 7;

function notYet(t: Test, { code, stdout, stderr }: Ended, sentence: RegExp): void {
  t.equal(code, exitCodes.notYetStarted);
  t.equal(stdout, '');
  t.match(stderr, /^edge-control: [^\n]+\n$/, 'one line on standard error');
  t.match(stderr, sentence);
}

/** Listens until the end of `t`. @returns the port */
async function portOf(t: Test, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

t.test('a full disk, at the first start and later', async (t) => {
  const disk = await SmallDisk.mount(t, 'tmpfs', 48);
  if (typeof disk === 'string') return void t.pass(`skipped: ${disk}`);
  const home = disk.makeHome({});
  for (const [start, triesMax] of [
    ['first', manyStarts],
    ['later', 1],
  ] as const) {
    const unit = new UnitStandIn(unitText);
    disk.fill();
    for (let tries = 0; tries < triesMax; tries++) {
      // The first try as systemd makes it, the others without a process.
      const ended = await (tries === 0 ? startProcess(t, home).ended : refusedHere(home));
      notYet(t, ended, /ENOSPC|the disk is full/);
      t.equal(unit.after(ended), 'starts again', `${start}: ${tries}`);
    }
    disk.free();
    const serving = await whenReady(startProcess(t, home), home);
    const stopped = await serving.process.stop();
    t.equal(unit.after(stopped), 'stays down', 'a clean stop is one');
  }
});

t.test('a port that is still held', async (t) => {
  const holder = createServer();
  const port = await portOf(t, holder);
  const home = makeHome(t);
  const unit = new UnitStandIn(unitText);
  const held = `127.0.0.1:${port}`;
  const flags = [
    ['--listen', held],
    ['--ctrl-listen', held],
    ['--direct-listen', held],
  ] as const;
  for (const words of flags) {
    const ended = await refusedHere(home, words);
    notYet(t, ended, new RegExp(`cannot listen on ${held}: the port is in use`));
    t.equal(unit.after(ended), 'starts again');
  }
  const metrics = { EDGE_METRICS_LISTEN: held };
  notYet(t, await runHere(['run', '--home', home], metrics), /for metrics: .*EADDRINUSE/);
  await new Promise((resolve) => holder.close(resolve));
  const serving = await whenReady(startProcess(t, home, ['--listen', held]), home);
  t.equal((await serving.process.stop()).code, exitCodes.stopped);
});

t.test('NATS servers that are not there yet, and credentials that are none', async (t) => {
  const home = makeHome(t);
  t.equal((await runHere(['init', '--home', home])).code, exitCodes.stopped);
  writeMembership(nodeDisk, home, { generation: 1, nodeId: 'n1' });
  const servers = { EDGE_CLUSTER_SERVERS: '127.0.0.1:1', EDGE_CLUSTER_LISTEN: '127.0.0.1:0' };
  const words = ['run', '--home', home, '--listen', '127.0.0.1:0'];
  notYet(t, await runHere(words, servers), /The NATS servers cannot be asked: .*refused/i);
  const worthless = { ...servers, EDGE_CLUSTER_CREDENTIALS: join(home, 'pki/ca.pem') };
  t.match(await runHere(words, worthless), {
    code: exitCodes.notStarted,
    stderr: /is no credentials file of NATS/,
  });
  const refusing = createServer((socket) => {
    socket.write('INFO {"server_id":"S","version":"2.12.0","max_payload":8388608,"proto":1}\r\n');
    socket.on('data', () => socket.end("-ERR 'Authorization Violation'\r\n"));
    socket.on('error', () => undefined);
  });
  const there = { ...servers, EDGE_CLUSTER_SERVERS: `127.0.0.1:${await portOf(t, refusing)}` };
  t.match(await runHere(words, there), {
    code: exitCodes.notStarted,
    stderr: /no connection to NATS: .*authorization violation/i,
  });
});

t.test('what a person has to change is not tried again', async (t) => {
  const home = makeHome(t);
  const ended = await startProcess(t, home, ['--tls-workers', '0']).ended;
  t.equal(ended.code, exitCodes.notStarted);
  t.equal(new UnitStandIn(unitText).after(ended), 'stays down');
  const killed = { code: null, signal: 'SIGKILL' } as const;
  t.equal(new UnitStandIn(unitText).after(killed), 'starts again');
});
