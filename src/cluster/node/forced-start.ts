// `--force`: an operator lets a node lead although most of the others cannot be heard.

import { StartProblem } from '../../errors/errors.ts';
import type { Members } from '../membership.ts';
import { memberAwayMs } from './watch.ts';

/** What is known of the nodes at a forced start. */
export interface ForcedStart {
  /** All nodes of the cluster. */
  readonly nodes: number;
  /** Those that may still run, the starting one included. */
  readonly heard: number;
}

/**
 * Refuses a forced start that cannot be right: where most nodes are there, one of them leads
 * without it. Rejects with StreamUnreachable.
 * @param nowMs by the clock of the servers
 * @throws StartProblem
 */
export async function checkForcedStart(
  members: Pick<Members, 'list' | 'marks' | 'halt'>,
  id: string,
  nowMs: number,
): Promise<ForcedStart> {
  const halt = await members.halt();
  if (halt !== undefined) {
    throw new StartProblem(
      `--force does not help: no node may lead until edge-control cluster reseed, because ${halt}.`,
    );
  }
  const [listed, marks] = [await members.list(), await members.marks()];
  const nodes = new Set([id, ...[...listed, ...marks].map((one) => one.id)]).size;
  const others = listed.filter((member) => member.id !== id);
  const present = others.filter(({ atMs }) => nowMs - atMs <= memberAwayMs);
  const heard = present.length + 1;
  if (heard * 2 <= nodes) return { nodes, heard };
  throw new StartProblem(
    `--force is for a node whose others are lost, but ${heard} of ${nodes} nodes, this one included, were there within the last ${memberAwayMs / 1000} s: leave it out.`,
  );
}
