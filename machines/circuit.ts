// The life of a circuit: its routers are told of it, it carries traffic, it gets another path.

import { assign, setup } from 'xstate';
import type { DurableMachine, MachineRecord, Timed } from './machine.ts';

/** The parts of a circuit that another attempt to create it chooses again. */
export interface CircuitRoute {
  readonly terminatorId: string;
  /** The identity that hosts the service at the terminator; empty when none is known. */
  readonly hostId: string;
  /** The ids of the routers of its path, from the client's to the host's. */
  readonly routers: readonly string[];
  /** The ids of the links between neighbours, one fewer than routers. */
  readonly links: readonly string[];
  /** The address of the client's end at the first router. */
  readonly ingressId: string;
  /** The address of the host's end at the last router. */
  readonly egressId: string;
}

/** The parts of a circuit that stay the same for its whole life. */
export interface CircuitRight {
  /** Absent for a circuit of a tunneler router, and of a client with JWTs: they have none. */
  readonly sessionId: string | undefined;
  readonly apiSessionId: string | undefined;
  /** The identity that dials. */
  readonly identityId: string;
  readonly serviceId: string;
}

/** A circuit. */
export interface CircuitRecord extends MachineRecord, CircuitRight, CircuitRoute {
  /** Counts the attempts to create it from 0. */
  readonly attempt: number;
  /** How often it got another path. */
  readonly reroutes: number;
}

/**
 * Events of a circuit. `restore`: the controller has restarted, and finds it in its records.
 * `rerouted`: its routers have confirmed another path.
 */
export type CircuitEvent = Timed<
  | { readonly type: 'create'; readonly fields: CircuitRight & CircuitRoute }
  | { readonly type: 'restore'; readonly fields: CircuitRight & CircuitRoute }
  | { readonly type: 'retry'; readonly route: CircuitRoute }
  | { readonly type: 'confirm' }
  | { readonly type: 'reroute' }
  | ({ readonly type: 'rerouted' } & Pick<CircuitRoute, 'routers' | 'links'>)
  | { readonly type: 'end' }
>;

const machine = setup({
  types: { context: {} as CircuitRecord, events: {} as CircuitEvent },
  actions: {
    begin: assign(({ event }) =>
      'fields' in event ? { ...event.fields, attempt: 0, reroutes: 0 } : {},
    ),
  },
}).createMachine({
  id: 'circuit',
  context: {} as CircuitRecord,
  initial: 'none',
  states: {
    none: {
      on: {
        create: { target: 'routing', actions: 'begin' },
        restore: { target: 'active', actions: 'begin' },
      },
    },
    routing: {
      on: {
        retry: {
          actions: assign(({ context, event }) => ({
            ...event.route,
            attempt: context.attempt + 1,
          })),
        },
        confirm: 'active',
        end: 'ended',
      },
    },
    active: { on: { reroute: 'rerouting', end: 'ended' } },
    rerouting: {
      on: {
        rerouted: {
          target: 'active',
          actions: assign(({ context, event }) => ({
            routers: event.routers,
            links: event.links,
            reroutes: context.reroutes + 1,
          })),
        },
        end: 'ended',
      },
    },
    ended: { type: 'final' },
  },
});

/** The life of a circuit (behaviour/control-channel#circuits). */
export const circuit: DurableMachine<typeof machine> = {
  machine,
  meanings: {
    none: 'over',
    routing: 'waiting',
    active: 'good',
    rerouting: 'waiting',
    ended: 'over',
  },
  guards: {},
};
