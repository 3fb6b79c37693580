// Each kind of damage is done behind the store's back: a check finds it and changes nothing, a fix
// puts it right where the records allow, and says what is to be done where they do not.

import type { Test } from 'tap';
import { bootScene, framesOfRun, linesOf, run, type Scene } from './scene.ts';

/** One kind of damage, and what comes of it. */
export interface Damage {
  readonly what: string;
  /** What is done to a network that is whole. */
  prepare?(scene: Scene): Promise<void>;
  do(scene: Scene): void | Promise<void>;
  /** Descriptions that a check gives, in order. */
  readonly found: readonly RegExp[];
  /** Those that a fix cannot put right, in order; none when absent. */
  readonly left?: readonly RegExp[];
  /** Frames that a fix writes. */
  readonly frames?: number;
  /** What must be so after a fix. */
  after?(scene: Scene): void | Promise<void>;
}

/** Does each to a network of its own, checks it and fixes it. */
export function testDamages(t: Test, damages: readonly Damage[]): void {
  for (const { what, found, left = [], frames = 0, ...damage } of damages) {
    t.test(what, async (t) => {
      const scene = await bootScene();
      const { network } = scene;
      await damage.prepare?.(scene);
      t.same(linesOf(await run(network, false)), [], 'whole before');
      await damage.do(scene);
      const { lastLsn } = network.core.journal;
      const lines = linesOf(await run(network, false));
      t.match(lines, found);
      t.equal(lines.length, found.length, lines.join('\n'));
      const again = linesOf(await run(network, false));
      t.same(again.map(withoutNewest), lines.map(withoutNewest), 'a check changes nothing');
      t.equal(network.core.journal.lastLsn - lastLsn, 2 * framesOfRun);
      const fixed = linesOf(await run(network, true));
      const unfixed = fixed.filter((line) => !line.startsWith('fixed '));
      t.match(unfixed, left);
      t.equal(unfixed.length, left.length, unfixed.join('\n'));
      t.equal(network.core.journal.lastLsn - lastLsn, 3 * framesOfRun + frames);
      if (left.length === 0) t.same(linesOf(await run(network, false)), [], 'whole again');
      await damage.after?.(scene);
      network.logged.length = 0;
    });
  }
}

/** Frames of the runs themselves are newer each time. */
function withoutNewest(line: string): string {
  return line.replace(/\d+ is the newest$/, 'another is the newest');
}
