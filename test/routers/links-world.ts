// Routers with links, without connections: what a controller of links is told and tells.

import { contentTypes } from '../../src/channel/content-types.ts';
import { encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { createLog } from '../../src/observe/logs.ts';
import { type LinkRecord, linkKind } from '../../src/records/link.ts';
import type { RoutersContext } from '../../src/routers/context.ts';
import { createLinks, type Links } from '../../src/routers/links/links.ts';
import { createRouterMetrics } from '../../src/routers/metrics/router-metrics.ts';
import type { RouterFeature } from '../../src/routers/router-feature.ts';
import { DurableFrames } from '../../src/store/durable-frames.ts';
import { bootNetwork, type Network, type NetworkOptions, noTraffic } from '../simulated/network.ts';
import {
  type RecordedRouter,
  RecordedRouters,
  receivedFrame,
  recordedRouter,
} from '../simulated/routers.ts';

/** A network whose routers can be connected. */
export class LinksWorld {
  readonly network: Network;
  readonly connected = new RecordedRouters();
  readonly links: Links;
  readonly #handlers: RouterFeature['handlers'];
  readonly logged: string[] = [];

  constructor(network: Network) {
    this.network = network;
    const { env, core, random, clock } = network;
    const write = (line: string) => void this.logged.push(line);
    const { log } = createLog({ level: 'warn', clock, readable: false, write });
    const context: RoutersContext = {
      env,
      durable: new DurableFrames({ journal: core.journal, clock, lateMs: 1000 }),
      log,
      random,
      connected: this.connected,
    };
    this.links = createLinks(context);
    const metrics = createRouterMetrics([this.links.latencies]);
    this.#handlers = new Map([...this.links.handlers, ...metrics.handlers]);
  }

  /** Creates routers of these names; answers their ids. */
  async routers(...names: readonly string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const name of names) ids.push(await this.network.create('edge-routers', { name }));
    return ids;
  }

  connect(id: string, address?: string): RecordedRouter {
    const router = recordedRouter(id, address === undefined ? [] : [listenerAt(address)]);
    this.connected.add(router);
    this.links.connected?.(router);
    return router;
  }

  /** The router connects, and accepts links. */
  listen(id: string): RecordedRouter {
    return this.connect(id, `tls:${id}.example:6000`);
  }

  disconnect(router: RecordedRouter): void {
    this.connected.remove(router.id);
    this.links.disconnected?.(router);
  }

  /** The router sends a message. */
  send(router: RecordedRouter, type: number, body: Buffer): void {
    for (const _ of this.steps(router, type, body));
  }

  /** The router sends a message, which is handled step by step. */
  steps(router: RecordedRouter, type: number, body: Buffer): Iterable<undefined> {
    const handler = this.#handlers.get(type);
    if (handler === undefined) throw new Error(`nobody handles ${type}`);
    this.network.env.store.fence.begin();
    return handler(router, receivedFrame(type, body)) ?? [];
  }

  report(
    router: RecordedRouter,
    links: readonly fabric.RouterLink.$Properties[],
    fullRefresh = false,
  ): void {
    const body = encodeMessage(fabric.RouterLinks, { links: [...links], fullRefresh });
    this.send(router, contentTypes.routerLinks, body);
  }

  measure(router: RecordedRouter, histograms: Record<string, Partial<Histogram>>): void {
    const whole = Object.entries(histograms).map(([name, histogram]) => [
      name,
      { count: 1, max: 1, mean: 0, ...histogram },
    ]);
    const body = encodeMessage(fabric.MetricsMessage, { histograms: Object.fromEntries(whole) });
    this.send(router, contentTypes.metrics, body);
  }

  link(id: string): LinkRecord | undefined {
    return this.network.env.store.table(linkKind).peek(id)?.record;
  }

  /** `id:state` of all links, sorted. */
  get states(): string {
    const rows = [...this.network.env.store.table(linkKind).rows()];
    return rows
      .map(({ record }) => `${record.id}:${record.state}`)
      .sort()
      .join(' ');
  }

  get find() {
    const { paths } = this.network.env;
    return (from: string, to: string) => paths.find(from, to)?.links.join(' ');
  }
}

interface Histogram {
  readonly count: number;
  readonly max: number;
  readonly mean: number;
}

/** A listener of the default group. */
export function listenerAt(address: string) {
  return { address, protocol: 'tls', groups: ['default'], localBinding: '' };
}

/** Boots a network without routers. */
export async function bootLinks(options: NetworkOptions = {}): Promise<LinksWorld> {
  return new LinksWorld(await bootNetwork({ traffic: noTraffic, ...options }));
}

/** What a router was told of others since the last call: `id healthy address`, sorted. */
export function notifiedPeers(router: RecordedRouter): string[] {
  return toldInOrder(router).sort();
}

/** As `notifiedPeers`, in the order of the messages. */
export function toldInOrder(router: RecordedRouter): string[] {
  const messages = router.channel.sent.splice(0);
  return messages
    .filter(({ contentType }) => contentType === contentTypes.peerStateChanges)
    .flatMap(({ body }) => fabric.PeerStateChanges.decode(body ?? Buffer.alloc(0)).changes)
    .map(({ id, state, listeners = [] }) => {
      const addresses = (listeners ?? []).map(({ address }) => address);
      return [id, stateNames[state ?? 0], ...addresses].join(' ');
    });
}

const stateNames = ['healthy', 'unhealthy', 'removed'];
