// What `status` and `admin reset` show of the answers of a running controller.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { acquireLock } from '../../../snapshots/home/lock.ts';
import { writeManifest } from '../../../snapshots/home/manifest.ts';
import { runCommandLine } from '../../../src/commands/command-line.ts';
import { startOwnerSocket } from '../../../src/http/server/owner-socket.ts';
import { systemClock } from '../../../src/platform/clock-and-random.ts';
import { LookingContext } from './looking.ts';

/** What steers a terminal, and how it is shown. */
const steering = 'a\u001b[2J\u202eb';
const shown = 'a\\u001b[2J\\u202eb';

/** Runs a command on a home whose controller answers each order with `answer`. */
async function run(t: Test, answer: unknown, ...words: readonly string[]) {
  const home = join(t.testdir(), 'home');
  mkdirSync(join(home, 'run'), { recursive: true });
  writeManifest(nodeDisk, home, { dataSetId: 'ab'.repeat(16), snapshots: [] });
  const release = acquireLock(nodeDisk, home);
  const handler = async () => (typeof answer === 'function' ? answer() : answer);
  const options = { home, clock: systemClock, timeoutMs: 10_000, handler };
  const socket = await startOwnerSocket(options);
  const looking = new LookingContext(nodeDisk, {});
  let nowMs = 0;
  const monotonic = () => {
    nowMs += 500;
    return nowMs;
  };
  const context = Object.assign(looking, {
    clock: { ...systemClock, monotonic },
    secretInput: { isTerminal: false, ask: async () => 'a-new-password' },
  });
  const code = await runCommandLine([...words, '--home', home], context);
  await socket.stop();
  release();
  return { code, stdout: looking.stdout, stderr: looking.stderr };
}

const healthy = {
  url: 'https://edge.test',
  release: '1',
  startedAt: '2026-01-01T00:00:00.000Z',
  state: 'ready',
  healthy: true,
  problems: [],
};

t.test('a program reads JSON, or the process alone', async (t) => {
  const { stdout } = await run(t, healthy, 'status', '-o', 'json');
  const { home, ...rest } = JSON.parse(stdout) as { readonly home: string };
  t.match(home, /\/home$/);
  t.same(rest, { status: 'healthy', pid: process.pid, ...healthy, fingerprints: [] });
  const pid = await run(t, healthy, 'status', '-o', 'pid');
  t.match(pid, { code: 0, stdout: `${process.pid}\n`, stderr: '' });
  const refused = await run(t, { refused: 'Not now.' }, 'status', '-o', 'json');
  t.match(JSON.parse(refused.stdout), { status: 'unhealthy', silence: 'Not now.' });
});

t.test('a wait ends with a healthy controller, or with its time', async (t) => {
  const answers = [{ ...healthy, healthy: false }, { refused: 'Starting.' }, healthy];
  const soon = await run(t, () => answers.shift(), 'status', '--wait', '30', '-o', 'pid');
  t.match(soon, { code: 0, stdout: `${process.pid}\n` });
  t.equal(answers.length, 0);
  const never = await run(t, { ...healthy, healthy: false }, 'status', '--wait', '3');
  t.match(never, { code: 1, stdout: /^health {4}unhealthy, ready$/m });
  for (const wait of ['soon', '-1', '', '1e9']) {
    const said = await run(t, healthy, 'status', `--wait=${wait}`);
    t.match(said, { code: 2, stdout: '', stderr: /--wait is ".*" but must be seconds/ });
  }
  t.match(await run(t, healthy, 'status', '-o', 'xml'), { code: 2, stderr: /-o is "xml" but/ });
});

t.test('what a controller tells of itself steers no terminal', async (t) => {
  const status = {
    url: 'https://edge.test',
    release: '1',
    startedAt: '2026-01-01T00:00:00.000Z',
    state: 'serving',
    healthy: false,
    problems: [steering],
  };
  const { stdout } = await run(t, status, 'status');
  t.match(stdout, `\n          ${shown}\n`);
  const refused = await run(t, { refused: `${steering}.` }, 'admin', 'reset');
  t.match(refused, { code: 1, stderr: `edge-control: ${shown}.\n` });
  const done = { identityId: 'i', isDefaultAdmin: false, lines: [`${steering} has it.`] };
  t.match(await run(t, done, 'admin', 'reset'), { code: 0, stdout: `${shown} has it.\n` });
});
