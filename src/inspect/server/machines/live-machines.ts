// Machines whose instances are not records but parts of the controller that run beside requests:
// its own life and snapshots. There is one actor of each; they are not stored.

import type { AnyStateMachine } from 'xstate';
import type { DurableMachine } from '../../../../machines/machine.ts';
import { lifeGuards, lifeMachine, lifeMeanings } from '../../../actors/controller-life.ts';
import {
  type Snapshotter,
  snapshotterGuards,
  snapshotterMeanings,
} from '../../../actors/snapshotter.ts';
import type { Sources } from '../../../monitoring/sources.ts';

/** One actor of a live machine, as it is now. */
export interface LiveInstance {
  /** Unique within its machine. */
  readonly id: string;
  readonly name: string;
  /** One of the states of its machine's chart. */
  readonly state: string;
  /** Wall-clock ms since when it is in this state. */
  readonly sinceMs: number;
  /** Further data; nothing secret. */
  readonly record?: Readonly<Record<string, unknown>>;
}

/** A live machine, and a function that lists its actors. */
export interface LiveMachine extends Pick<DurableMachine, 'meanings' | 'guards'> {
  /** Different from the name of every durable kind: `life`, `snapshotter`. */
  readonly id: string;
  /** A description in words. */
  readonly name: string;
  readonly machine: AnyStateMachine;
  /** There are only a few, so they are listed again for each request. */
  instances(): readonly LiveInstance[];
}

/** The actors that are shown. */
export interface LiveActors {
  readonly sources: Pick<Sources, 'phase' | 'phaseSinceMs' | 'startedAtMs'>;
  readonly snapshotter: Pick<Snapshotter, 'machine' | 'phase' | 'phaseSinceMs' | 'newest'>;
}

/** The data that is shown of them. */
export function liveMachines(actors: LiveActors): readonly LiveMachine[] {
  return [life(actors), snapshots(actors)];
}

function life({ sources }: LiveActors): LiveMachine {
  const never = async () => undefined;
  return {
    id: 'life',
    name: 'life of the controller',
    machine: lifeMachine({ steps: { recover: never, drain: never }, drainMsMax: 0 }),
    meanings: lifeMeanings,
    guards: lifeGuards,
    instances: () => [
      {
        id: 'controller',
        name: 'controller',
        state: sources.phase,
        sinceMs: sources.phaseSinceMs,
      },
    ],
  };
}

function snapshots({ snapshotter }: LiveActors): LiveMachine {
  return {
    id: 'snapshotter',
    name: 'snapshotter',
    machine: snapshotter.machine,
    meanings: snapshotterMeanings,
    guards: snapshotterGuards,
    instances: () => [
      {
        id: 'snapshotter',
        name: 'snapshotter',
        state: snapshotter.phase,
        sinceMs: snapshotter.phaseSinceMs,
        record: { newest: snapshotter.newest ?? null },
      },
    ],
  };
}
