// The machine of a node, running: its role, and its last transitions.

import type { ClusterNodeEvent, ClusterNodeRecord } from '../../../machines/cluster-node.ts';
import { clusterNode } from '../../../machines/cluster-node.ts';
import { compile } from '../../../machines/compile.ts';
import { decide } from '../../../machines/decide.ts';
import type { MachineRecord } from '../../../machines/machine.ts';
import type { CompiledMachine } from '../../../machines/table.ts';
import type { Clock } from '../../platform/ports.ts';
import type { NodeRole } from '../membership.ts';

/** Transitions of a node that are kept, as of other things that live in memory only. @bound */
const transitionsMax = 32;

/** One transition of a node. */
export interface NodeTransition {
  /** Wall-clock ms. */
  readonly atMs: number;
  readonly event: ClusterNodeEvent['type'];
  readonly from: string;
  readonly to: string;
  /** Why; empty for what happens when all is well. */
  readonly reason: string;
}

type WithoutNow<E> = E extends unknown ? Omit<E, 'now'> : never;

/** The life of the node of this process. */
export class NodeLife {
  readonly #clock: Clock;
  readonly #table: CompiledMachine = compile(clusterNode);
  readonly #transitions: NodeTransition[] = [];
  #record: MachineRecord & Partial<ClusterNodeRecord>;

  /** @param id of the node; its life begins as `recovering` */
  constructor(id: string, clock: Clock) {
    this.#clock = clock;
    this.#record = { id, state: this.#table.initial };
    this.send({ type: 'start' });
  }

  /** What the node is now; `ended` when its process has to end. */
  get role(): NodeRole | 'ended' {
    return roles.find((role) => role === this.#record.state) ?? 'ended';
  }

  /** Why it is what it is; empty when all is well. */
  get reason(): string {
    return this.#record.reason ?? '';
  }

  /** Its last transitions, the oldest first. */
  get transitions(): readonly NodeTransition[] {
    return this.#transitions;
  }

  /** Whether the event was one that its state knows. */
  send(event: WithoutNow<ClusterNodeEvent>): boolean {
    const now = this.#clock.now();
    const { state: from } = this.#record;
    const given = from === this.#table.initial ? undefined : this.#record;
    const decision = decide(this.#table, given, { ...event, now });
    if (decision.kind !== 'moved') return false;
    this.#record = { ...this.#record, ...decision.patch, state: decision.state };
    const reason = 'reason' in event ? event.reason : '';
    this.#transitions.push({ atMs: now, event: event.type, from, to: decision.state, reason });
    if (this.#transitions.length > transitionsMax) this.#transitions.shift();
    return true;
  }
}

const roles = [
  'recovering',
  'following',
  'standing',
  'leading',
  'isolated',
  'halted',
] as const satisfies readonly NodeRole[];
