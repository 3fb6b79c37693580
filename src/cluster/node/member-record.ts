// What a node writes into the directory of the nodes, and reads there.

import type { Clock } from '../../platform/ports.ts';
import type { NodeState } from '../cluster-node.ts';
import type { HighWaterMark, Member, Members } from '../membership.ts';
import type { Generation, Term } from '../stream.ts';
import { shownNode } from './node-name.ts';

/** What a node tells of itself that does not change. */
export type MemberDescription = Omit<
  Member,
  'role' | 'generation' | 'term' | 'last' | 'condition' | 'atMs'
>;

/** Longest reason in an entry; readers ignore an entry with longer texts. @bound */
const entryReasonLengthMax = 1000;

/** The entry of a node, its high-water mark, and the halt (behaviour/cluster#halts). */
export class OwnEntry {
  readonly #members: Members;
  #description: MemberDescription;
  readonly #generation: Generation;
  readonly #clock: Clock;
  #raised: HighWaterMark | undefined;
  #haltToWrite: string | undefined;

  constructor(
    members: Members,
    description: MemberDescription,
    generation: Generation,
    clock: Clock,
  ) {
    this.#members = members;
    this.#description = description;
    this.#generation = generation;
    this.#clock = clock;
  }

  /** Names no address for routers any more. */
  leave(): void {
    this.#description = { ...this.#description, control: undefined };
  }

  /** The entry as it would be written now. */
  member(state: NodeState): Member {
    const { role, term, last, lagMs, clockSkewMs, inFlight, takeovers } = state;
    const { trouble, localLog, store, sharesFailed } = state;
    const generation = this.#generation;
    // By the clock of the servers: a node whose own clock is slow must not seem to be away.
    const atMs = this.#clock.now() - clockSkewMs;
    const figures = { lagMs, clockSkewMs, inFlight, takeovers };
    const reasons = { trouble: shortened(trouble), localLog: shortened(localLog) };
    const told = store && { ...store, unsafe: shortened(store.unsafe) };
    const condition = { ...figures, ...reasons, store: told, sharesFailed };
    return { ...this.#description, role, term, last, generation, condition, atMs };
  }

  /** Writes a halt, with the next `write` at the latest. */
  halt(reason: string): void {
    const node = shownNode(this.#description);
    this.#haltToWrite ??= `node ${node} has halted the cluster: ${reason}`;
  }

  /**
   * Writes what has changed.
   * @returns why this node may not lead; undefined if any may
   * @throws StreamUnreachable
   */
  async write(state: NodeState): Promise<string | undefined> {
    const members = this.#members;
    if (this.#haltToWrite !== undefined) {
      await members.writeHalt(this.#haltToWrite);
      this.#haltToWrite = undefined;
    }
    if ((await members.removed()).includes(this.#description.id)) return removedNode;
    await members.put(this.member(state));
    await this.#raise(state);
    return members.halt();
  }

  /** The entry of the leader of a term, if it is there yet; rejects with StreamUnreachable. */
  async leaderOf(term: Term): Promise<Member | undefined> {
    const members = await this.#members.list();
    return members.find(
      (member) =>
        member.term === term &&
        member.generation === this.#generation &&
        (member.role === 'leading' || member.role === 'isolated'),
    );
  }

  async #raise({ role, term, last }: NodeState): Promise<void> {
    if (role === 'recovering' || this.#raised?.lsn === last.lsn) return;
    const { lsn, crc } = last;
    const mark = { id: this.#description.id, generation: this.#generation, term, lsn, crc };
    await this.#members.raiseMark(mark);
    this.#raised = mark;
  }
}

/** Why a node does nothing that was taken out of its cluster. */
export const removedNode =
  'this node was removed from the cluster: join with a new home to make this machine a node again';

function shortened(reason: string | undefined): string | undefined {
  return reason?.slice(0, entryReasonLengthMax);
}
