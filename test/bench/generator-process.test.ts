// The load generator's process: it runs jobs, at a lower priority on request.

import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import t, { type Test } from 'tap';
import { LoadGenerator } from '../../bench/load/generator-process.ts';
import { serveLoop } from './loop-server.ts';

t.test('it has the normal or a lower priority', async (t) => {
  const own = getPriority();
  t.equal(await priorityOf(t, {}), own);
  t.equal(await priorityOf(t, { givesWay: true }), Math.min(19, own + 10));
});

/** That of the process which ran a job. */
async function priorityOf(
  t: Test,
  options: ConstructorParameters<typeof LoadGenerator>[0],
): Promise<number> {
  const before = children();
  const generator = new LoadGenerator(options);
  try {
    const { job } = await serveLoop(t, () => 200);
    t.equal((await generator.run(job)).answered, 50);
    const [child, ...others] = children().filter((pid) => !before.includes(pid));
    t.same(others, []);
    return getPriority(child);
  } finally {
    generator.stop();
  }
}

/** Processes that this one began. */
function children(): readonly number[] {
  const text = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}
