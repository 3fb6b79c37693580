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
  const handler = async () => answer;
  const options = { home, clock: systemClock, timeoutMs: 10_000, handler };
  const socket = await startOwnerSocket(options);
  const looking = new LookingContext(nodeDisk, {});
  const context = Object.assign(looking, {
    secretInput: { isTerminal: false, ask: async () => 'a-new-password' },
  });
  const code = await runCommandLine([...words, '--home', home], context);
  await socket.stop();
  release();
  return { code, stdout: looking.stdout, stderr: looking.stderr };
}

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
