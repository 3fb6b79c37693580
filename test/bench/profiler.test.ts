// Profiles of a real process some of whose threads end, and others begin, while it is profiled.

import { readdirSync } from 'node:fs';
import t from 'tap';
import { profileWhile } from '../../bench/server/profiler.ts';
import { startInspected } from './inspected-program.ts';

/** Each line it is told turns its second thread over; it says `done` when that is through. */
const program = `
  const { Worker } = require('node:worker_threads');
  const start = (name) => new Worker(require('node:path').join(__dirname, name));
  start('staying.cjs');
  let passing = start('passing.cjs');
  passing.once('online', () => console.log('up'));
  require('node:readline').createInterface(process.stdin).on('line', async () => {
    await passing.terminate();
    passing = start('passing.cjs');
    passing.once('online', () => console.log('done'));
  });
`;

t.test('a thread that ends meanwhile is left out', async (t) => {
  const worker = 'setInterval(() => {}, 5)';
  const room = t.testdir({
    'program.cjs': program,
    'staying.cjs': worker,
    'passing.cjs': worker,
  });
  const { logFile, stdin, lines } = startInspected(t, room, 'program.cjs');
  t.equal((await lines.next()).value, 'up');
  const { result, profile } = await profileWhile({ logFile }, room, 'run', async () => {
    stdin.write('\n');
    return (await lines.next()).value;
  });
  t.equal(result, 'done');
  t.ok(profile.some(({ thread }) => thread === 'main'));
  const written = readdirSync(room).filter((name) => name.endsWith('.cpuprofile'));
  t.ok(written.some((name) => name.startsWith('run-main')));
  t.ok(written.some((name) => name.startsWith('run-staying')));
  t.notOk(
    written.some((name) => name.includes('passing')),
    'neither the old nor the new one',
  );
});
