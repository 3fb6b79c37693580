// A router of the fleet: it dials with the time-outs and pauses of real routers, and sends the
// reports that they send unasked.

import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { Frame, Message } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { decodeMessage, edge, encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { systemClock } from '../../src/platform/clock-and-random.ts';
import { RouterTwin, tlsWire, twinMessages } from '../../test/simulated/router-twin.ts';
import type { FleetTarget, RouterIdentity } from './fleet-job.ts';

/** Time of one attempt, until the hello is answered, in ms. */
const attemptMs = 5000;
/** The pause before a lost connection is dialed again; it doubles with each attempt that fails. */
const firstPauseMs = 1000;
const longestPauseMs = 60_000;
/** Routers send their metrics so often. */
const metricsMs = 60_000;

/** The events of a router. */
export interface FleetRouterEvents {
  /** It knows all API sessions that the controller had for it. */
  readonly synced: (router: FleetRouter) => void;
  /** An attempt has failed, or a connection was lost. */
  readonly failed: () => void;
  /** A frame that takes access away has arrived. */
  readonly taken: (frame: Frame) => void;
}

/** A simulated router with its certificate. */
export class FleetRouter {
  readonly id: string;
  /** Whether it reads what it is told; otherwise it only looks at the headers. */
  readonly #isReading: boolean;
  /** API sessions of the last full state; only if it reads. */
  apiSessions = 0;
  isSynced = false;
  twin: RouterTwin | undefined;
  readonly #target: FleetTarget;
  readonly #context: SecureContext;
  readonly #events: FleetRouterEvents;
  #pauseMs = firstPauseMs;
  #timers: NodeJS.Timeout[] = [];
  #isStopped = false;

  constructor(
    identity: RouterIdentity,
    target: FleetTarget,
    events: FleetRouterEvents,
    isReading: boolean,
  ) {
    const { ca, keyPem: key } = target;
    this.id = identity.id;
    this.#target = target;
    this.#events = events;
    this.#isReading = isReading;
    // A router has read its files long before it connects again.
    this.#context = createSecureContext({ ca, key, cert: identity.chainPem });
  }

  /** Begins to connect, and goes on until `stop`. */
  dial(): void {
    const { host, port, serverName } = this.#target;
    const socket = connect({
      host,
      port,
      servername: serverName,
      secureContext: this.#context,
      ALPNProtocols: ['ziti-ctrl'],
    });
    const late = setTimeout(() => socket.destroy(), attemptMs);
    socket.on('error', () => undefined);
    socket.once('secureConnect', () => this.#greet(socket, late));
    socket.once('close', () => {
      clearTimeout(late);
      this.#lost();
    });
  }

  /** Closes its connection and stays away. */
  stop(): void {
    this.#isStopped = true;
    this.#clearTimers();
    this.twin?.close();
  }

  #greet(socket: TLSSocket, late: NodeJS.Timeout): void {
    const hostname = `${this.id}.example`;
    const options = { id: this.id, clock: systemClock, hostname, keeps: false };
    const twin = new RouterTwin(tlsWire(socket), options);
    twin.handle(contentTypes.apiSessionAdded, (frame) => this.#added(frame));
    for (const type of takingTypes) twin.handle(type, (frame) => this.#events.taken(frame));
    twin.onResult = () => {
      clearTimeout(late);
      if (!twin.isAccepted) return;
      this.twin = twin;
      this.#pauseMs = firstPauseMs;
      this.#report(twin);
    };
    twin.greet();
  }

  /** Sends the reports that routers send unasked. */
  #report(twin: RouterTwin): void {
    twin.send(twinMessages.links([]));
    this.#timers.push(
      setTimeout(() => {
        twin.send(twinMessages.interfaces([{ name: 'eth0', addresses: ['192.0.2.1/24'] }]));
        twin.send(twinMessages.connectEvents([]));
      }, firstPauseMs),
      setInterval(() => twin.send(metrics), metricsMs),
    );
  }

  #added({ headers, body }: Frame): void {
    const state = headers.get(syncStateHeader)?.toString() ?? '';
    if (this.isSynced) return;
    if (this.#isReading) {
      const { apiSessions, isFullState } = decodeMessage(edge.ApiSessionAdded, body);
      if (isFullState) this.apiSessions += apiSessions.length;
    }
    if (!state.includes('"isLast":true')) return;
    this.isSynced = true;
    this.#events.synced(this);
  }

  #lost(): void {
    this.twin = undefined;
    this.#clearTimers();
    if (this.#isStopped) return;
    this.#events.failed();
    if (!this.isSynced) this.apiSessions = 0;
    this.#timers.push(setTimeout(() => this.dial(), this.#pauseMs));
    this.#pauseMs = Math.min(longestPauseMs, this.#pauseMs * 2);
  }

  #clearTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }
}

/** The header with the place of a message among those of one full state. */
const syncStateHeader = 1014;

/** Content types of the messages that take access away. */
export const takingTypes = [
  contentTypes.sessionRemoved,
  contentTypes.apiSessionRemoved,
  contentTypes.unroute,
] as const;

/** The metrics of an idle router: about 2 KB. */
const metrics: Message = {
  contentType: contentTypes.metrics,
  body: encodeMessage(fabric.MetricsMessage, {
    histograms: Object.fromEntries(
      Array.from({ length: 45 }, (_, n) => [
        `pool.queue.of.some.kind.${n}`,
        { count: 100, max: 1_000_000, mean: 1000 },
      ]),
    ),
  }),
};
