// A booted network with recorded routers that are synced, and what they were told in readable form.

import type { Message } from '../../../src/channel/channel-api.ts';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { decodeMessage, edge } from '../../../src/channel/messages/messages.ts';
import { createLog } from '../../../src/observe/logs.ts';
import type { RoutersContext } from '../../../src/routers/context.ts';
import type { RouterFeature } from '../../../src/routers/router-feature.ts';
import { createApiSessionSync } from '../../../src/routers/sync/api-session-sync.ts';
import {
  bootNetwork,
  type Network,
  type NetworkOptions,
  noTraffic,
} from '../../simulated/network.ts';
import {
  handleWhole,
  type RecordedRouter,
  RecordedRouters,
  receivedFrame,
  recordedRouter,
} from '../../simulated/routers.ts';

/** The password of every user. */
export const password = 'user-password';

/** A network whose control plane knows only API session sync. */
export class SyncedNetwork {
  readonly network: Network;
  readonly connected = new RecordedRouters();
  readonly context: RoutersContext;
  readonly feature: RouterFeature;
  /** What the sync said of routers, e.g. `r1 done`. */
  readonly status: string[] = [];
  /** The identities that were heard of. */
  readonly heard: string[] = [];
  #policies = 0;

  static async boot(options: NetworkOptions = {}): Promise<SyncedNetwork> {
    return new SyncedNetwork(await bootNetwork({ traffic: noTraffic, ...options }), options);
  }

  constructor(network: Network, { bounds }: NetworkOptions = {}) {
    this.network = network;
    const { env, core, random, clock } = network;
    const write = (line: string) => void network.logged.push(line);
    const { log } = createLog({ level: 'warn', clock, readable: false, write });
    this.context = { env, durable: core.durable, log, random, connected: this.connected };
    const note = (what: string) => (id: string) =>
      void this.status.push(`${this.nameOf(id)} ${what}`);
    this.feature = createApiSessionSync(this.context, {
      status: { inProgress: note('in progress'), done: note('done'), resync: note('resync') },
      heard: (identityId) => void this.heard.push(identityId),
      bounds,
    });
  }

  /** The name of a router. */
  nameOf(id: string): string {
    return String(this.network.env.store.tableNamed('router').peek(id)?.record['name' as never]);
  }

  /** Creates an edge router and connects it, greeted. */
  async router(name: string, roleAttributes: readonly string[] = []): Promise<RecordedRouter> {
    const id = await this.network.create('edge-routers', { name, roleAttributes });
    return this.connect(id);
  }

  /** Connects a router, greeted. */
  async connect(id: string, router: RecordedRouter = recordedRouter(id)): Promise<RecordedRouter> {
    this.connected.add(router);
    this.feature.connected?.(router);
    this.greet(router);
    await this.settle();
    return router;
  }

  /** The router's hello for clients' traffic. */
  greet(router: RecordedRouter): void {
    this.feature.greeted?.(router, decodeMessage(edge.ClientHello, Buffer.alloc(0)));
  }

  /** The router is gone. */
  disconnect(router: RecordedRouter): void {
    this.connected.remove(router.id);
    this.feature.disconnected?.(router);
  }

  /** A message from the router. */
  receive(router: RecordedRouter, contentType: number, body: Buffer): void {
    const frame = receivedFrame(contentType, body);
    this.network.env.store.fence.begin();
    handleWhole(this.feature.handlers.get(contentType), router, frame);
  }

  /** Lets identities with one attribute use routers with another; answers the policy's id. */
  allow(identityRoles: string, edgeRouterRoles: string): Promise<string> {
    return this.network.create('edge-router-policies', {
      name: `policy-${this.#policies++}`,
      semantic: 'AnyOf',
      identityRoles: [identityRoles],
      edgeRouterRoles: [edgeRouterRoles],
    });
  }

  /** Creates a user with these attributes and logs it in. */
  async user(name: string, roleAttributes: readonly string[]): Promise<User> {
    const id = await this.network.createUser(name, password, { roleAttributes });
    return { id, ...(await this.login(name)) };
  }

  /** Logs a user in. */
  async login(name: string): Promise<Omit<User, 'id'>> {
    const path = 'C:/authenticate?method=password';
    const body = { username: name, password };
    const { data } = await this.network.call('POST', path, { body, token: null });
    const { id: apiSessionId, token } = data as { id: string; token: string };
    return { apiSessionId, token };
  }

  /** Lets turns pass until nothing is left to do, and as much time as the jobs look at. */
  async settle(): Promise<void> {
    await this.network.advance(10);
    await this.network.advance(10);
  }
}

/** A user that is logged in. */
export interface User {
  readonly id: string;
  readonly apiSessionId: string;
  readonly token: string;
}

/** Takes the messages that a router was sent since the last call, in readable form. */
export function told(router: RecordedRouter): string[] {
  return router.channel.sent.splice(0).map(textOf);
}

function textOf({ contentType, body = Buffer.alloc(0), headers }: Message): string {
  if (contentType === contentTypes.apiSessionAdded) {
    const { isFullState, apiSessions } = decodeMessage(edge.ApiSessionAdded, body);
    const tokens = apiSessions.map(({ token }) => token).sort();
    const { sequence, isLast } = syncStateOf(headers);
    const what = isFullState ? `full ${sequence}${isLast ? ' last' : ''}` : 'added';
    return [what, ...tokens].join(' ');
  }
  if (contentType === contentTypes.apiSessionUpdated) {
    const { apiSessions } = decodeMessage(edge.ApiSessionUpdated, body);
    const shown = apiSessions.map((one) => `${one.token} ${one.certFingerprints?.join()}`);
    return ['updated', ...shown].join(' ');
  }
  if (contentType === contentTypes.apiSessionRemoved) {
    const { tokens } = decodeMessage(edge.ApiSessionRemoved, body);
    return ['removed', ...tokens.sort()].join(' ');
  }
  if (contentType === contentTypes.sessionRemoved) {
    const { ids, tokens } = decodeMessage(edge.SessionRemoved, body);
    if (ids.join() !== tokens.join()) throw new Error('both lists are the same');
    return ['ended', ...ids.sort()].join(' ');
  }
  return `type ${contentType}`;
}

/** The header that says which part of a full state a message is. */
export function syncStateOf(headers: Buffer | undefined): {
  readonly id: string;
  readonly sequence: number;
  readonly isLast: boolean;
} {
  if (headers === undefined) throw new Error('the message has headers');
  for (let at = 0; at < headers.length; ) {
    const end = at + 8 + headers.readUInt32LE(at + 4);
    const value = headers.toString('utf8', at + 8, end);
    if (headers.readInt32LE(at) === 1014) return JSON.parse(value);
    at = end;
  }
  throw new Error('the message is of no sync');
}
