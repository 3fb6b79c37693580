// The control channel of a router: connected or not, and how far the router has been told what it
// needs to carry clients' traffic.

import { assign, setup } from 'xstate';
import type { DurableMachine, MachineRecord, NewFields, Timed } from './machine.ts';

/** A network card of a router, as it reported it. */
export interface RouterInterface {
  readonly name: string;
  readonly hardwareAddress: string;
  readonly mtu: number;
  readonly index: number;
  readonly isBroadcast: boolean;
  readonly isLoopback: boolean;
  readonly isMulticast: boolean;
  readonly isRunning: boolean;
  readonly isUp: boolean;
  readonly addresses: readonly string[];
}

/** The last control channel of a router (behaviour/control-channel#presence). */
export interface RouterPresenceRecord extends MachineRecord {
  readonly routerId: string;
  /** The IP address that the connection came from. */
  readonly address: string;
  /** Wall-clock ms. */
  readonly connectedAt: number;
  readonly versionInfo: Readonly<
    Record<'arch' | 'buildDate' | 'os' | 'revision' | 'version', string>
  >;
  /** The numbers of the capabilities that the hello named. */
  readonly capabilities: readonly number[];
  /** How often it was asked for its hello for clients' traffic. */
  readonly serverHellos: number;
  /** Whether it has answered that. */
  readonly hasGreeted: boolean;
  /** The facts of an edge router's last hello for clients' traffic; empty before the first. */
  readonly hostname: string;
  /** Protocol → URL. */
  readonly supportedProtocols: Readonly<Record<string, string>>;
  readonly interfaces: readonly RouterInterface[];
  /** Whether it asked for no further circuits. */
  readonly isQuiesced: boolean;
  /** Why its last control channel was closed; empty before that. */
  readonly closeReason: string;
}

type ReportedAtConnect = 'routerId' | 'address' | 'connectedAt' | 'versionInfo' | 'capabilities';

/** Events of the presence of a router. */
export type RouterPresenceEvent = Timed<
  | {
      /** A hello was accepted; a channel that was there before is replaced. */
      readonly type: 'connect';
      /** A router that carries no clients' traffic has nothing to wait for. */
      readonly isEdge: boolean;
      readonly fields: Pick<RouterPresenceRecord, ReportedAtConnect>;
    }
  | { readonly type: 'askHello' }
  | ({ readonly type: 'greet' } & Pick<RouterPresenceRecord, 'hostname' | 'supportedProtocols'>)
  | { readonly type: 'beginSync' }
  | { readonly type: 'finishSync' }
  | { readonly type: 'askResync' }
  | ({ readonly type: 'report' } & Pick<RouterPresenceRecord, 'interfaces'>)
  | ({ readonly type: 'quiesce' } & Pick<RouterPresenceRecord, 'isQuiesced'>)
  | { readonly type: 'close'; readonly reason: string }
  | { readonly type: 'disconnect'; readonly reason: string }
  | { readonly type: 'remove' }
>;

/** The fields of a router that has not reported anything yet. */
const unreported: Omit<
  NewFields<RouterPresenceRecord>,
  ReportedAtConnect | 'createdAt' | 'updatedAt'
> = {
  serverHellos: 0,
  hasGreeted: false,
  hostname: '',
  supportedProtocols: {},
  interfaces: [],
  isQuiesced: false,
  closeReason: '',
};

const connect = [
  { guard: 'isEdge', target: 'hello', actions: 'begin' },
  { target: 'online', actions: 'begin' },
] as const;
const anyState = {
  connect,
  quiesce: { actions: 'take' },
  disconnect: { target: 'offline', actions: 'noteReason' },
  remove: 'removed',
} as const;
const connected = {
  ...anyState,
  greet: { actions: 'greet' },
  report: { actions: 'take' },
  close: { target: 'closing', actions: 'noteReason' },
} as const;

const machine = setup({
  types: { context: {} as RouterPresenceRecord, events: {} as RouterPresenceEvent },
  guards: { isEdge: ({ event }) => event.type === 'connect' && event.isEdge },
  actions: {
    // Facts that the router reported earlier hold until it reports others.
    begin: assign(({ context, event }) => {
      if (event.type !== 'connect') return {};
      const { hostname, supportedProtocols, interfaces, isQuiesced, closeReason } = context;
      const known = { hostname, supportedProtocols, interfaces, isQuiesced, closeReason };
      return { ...unreported, ...('routerId' in context ? known : {}), ...event.fields };
    }),
    greet: assign(({ event }) => {
      if (event.type !== 'greet') return {};
      const { hostname, supportedProtocols } = event;
      return { hostname, supportedProtocols, hasGreeted: true };
    }),
    take: assign(({ event }) => {
      if (event.type === 'report') return { interfaces: event.interfaces };
      return event.type === 'quiesce' ? { isQuiesced: event.isQuiesced } : {};
    }),
    noteReason: assign(({ event }) => ('reason' in event ? { closeReason: event.reason } : {})),
  },
}).createMachine({
  id: 'routerPresence',
  context: {} as RouterPresenceRecord,
  initial: 'none',
  states: {
    none: { on: { connect } },
    offline: { on: anyState },
    hello: {
      on: {
        ...connected,
        askHello: { actions: assign({ serverHellos: ({ context }) => context.serverHellos + 1 }) },
        beginSync: 'syncing',
        finishSync: 'online',
        askResync: {},
      },
    },
    syncing: { on: { ...connected, beginSync: {}, finishSync: 'online', askResync: 'resync' } },
    online: { on: { ...connected, beginSync: 'syncing', finishSync: {}, askResync: 'resync' } },
    // A sync that was under way when it asked does not count.
    resync: { on: { ...connected, beginSync: 'syncing', finishSync: {}, askResync: {} } },
    closing: { on: anyState },
    removed: { type: 'final' },
  },
});

/** The control channel of a router (behaviour/control-channel#presence). */
export const routerPresence: DurableMachine<typeof machine> = {
  machine,
  meanings: {
    none: 'over',
    offline: 'bad',
    hello: 'waiting',
    syncing: 'waiting',
    online: 'good',
    resync: 'waiting',
    closing: 'waiting',
    removed: 'over',
  },
  guards: {
    isEdge: 'the router carries traffic of clients',
  },
};
