// A network of which circuits carry bytes: routers report usage without channels.

import { contentTypes } from '../../../src/channel/content-types.ts';
import { encodeMessage, fabric } from '../../../src/channel/messages/messages.ts';
import { type CircuitRecord, circuitKind } from '../../../src/records/circuit.ts';
import { createRouterMetrics } from '../../../src/routers/metrics/router-metrics.ts';
import { RouterUsage } from '../../../src/routers/usage/router-usage.ts';
import type { UsageBytes } from '../../../src/routers/usage/usage-message.ts';
import {
  bootNetwork,
  type Network,
  type NetworkOptions,
  noTraffic,
} from '../../simulated/network.ts';
import { handleWhole, receivedFrame, recordedRouter } from '../../simulated/routers.ts';

const cause = { actor: 'test', requestId: '', operation: 'test' };

/** The ends of a circuit. */
export interface Ends {
  readonly routers: readonly string[];
  readonly serviceId?: string;
  readonly identityId?: string;
  readonly hostId?: string;
}

/** A network, and what counts its usage. */
export class UsageWorld {
  readonly network: Network;
  usage: RouterUsage;

  constructor(network: Network) {
    this.network = network;
    this.usage = new RouterUsage(network);
  }

  static async boot(options: NetworkOptions = {}): Promise<UsageWorld> {
    return new UsageWorld(await bootNetwork({ traffic: noTraffic, ...options }));
  }

  /** Seconds since the Unix epoch. */
  get nowSeconds(): number {
    return this.network.clock.now() / 1000;
  }

  /** A circuit carries traffic from now on. */
  open(id: string, ends: Ends): void {
    const { store } = this.network.env;
    store.transact(cause, (tx) => tx.put(store.table(circuitKind), circuitOf(id, ends)));
  }

  end(id: string): void {
    const { store } = this.network.env;
    store.transact(cause, (tx) => tx.delete(store.table(circuitKind), id));
  }

  /** A router reports what circuits carried in the minute that began then. */
  report(
    routerId: string,
    buckets: Readonly<Record<string, Partial<UsageBytes>>>,
    startSeconds = this.nowSeconds,
  ): void {
    const whole = Object.entries(buckets).map(([id, values]) => [id, { values }]);
    const counter = {
      intervalStartUTC: startSeconds,
      intervalLength: 60,
      buckets: Object.fromEntries(whole),
    };
    const body = encodeMessage(fabric.MetricsMessage, { usageCounters: [counter] });
    const { handlers } = createRouterMetrics([this.usage]);
    const handler = handlers.get(contentTypes.metrics);
    handleWhole(handler, recordedRouter(routerId), receivedFrame(contentTypes.metrics, body));
  }

  /** The process has started again. */
  started(): void {
    this.usage = new RouterUsage(this.network);
  }

  /** The answer to a request for usage. */
  async get<T = readonly Row[]>(path: string): Promise<T> {
    // Hours may have passed.
    await this.network.logInAdmin();
    return await this.network.must<T>('GET', `M:/${path}`);
  }
}

/** A row of an answer. */
export interface Row {
  readonly hour?: string;
  readonly identity?: { readonly id: string; readonly name: string };
  readonly service?: { readonly id: string; readonly name: string };
  readonly clientSentBytes: number;
  readonly clientReceivedBytes: number;
  readonly hostSentBytes: number;
  readonly hostReceivedBytes: number;
}

/** The four sums of a row, in the order of its fields. */
export function sumsOf(row: Row | undefined): readonly number[] | undefined {
  if (row === undefined) return undefined;
  const { clientSentBytes, clientReceivedBytes, hostSentBytes, hostReceivedBytes } = row;
  return [clientSentBytes, clientReceivedBytes, hostSentBytes, hostReceivedBytes];
}

/** The record of a circuit with these ends. */
export function circuitOf(id: string, ends: Ends): CircuitRecord {
  const { routers, serviceId = 'what', identityId = 'who', hostId = 'host' } = ends;
  return {
    id,
    createdAt: 0,
    updatedAt: 0,
    tags: {},
    state: 'active',
    sessionId: undefined,
    apiSessionId: undefined,
    identityId,
    serviceId,
    terminatorId: 't',
    hostId,
    routers: [...routers],
    links: [],
    ingressId: 'i',
    egressId: 'e',
    attempt: 0,
    reroutes: 0,
  };
}
