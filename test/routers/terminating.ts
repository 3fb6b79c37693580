// A connected router without a connection, whose messages reach the part for terminators.

import type { Headers } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { decodeMessage, edge, encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { createLog } from '../../src/observe/logs.ts';
import type { RoutersContext } from '../../src/routers/context.ts';
import { createSessionChecks } from '../../src/routers/session-checks.ts';
import {
  createTerminators,
  type TerminatorsFeature,
} from '../../src/routers/terminators/terminators.ts';
import {
  handleWhole,
  type RecordedRouter,
  RecordedRouters,
  receivedFrame,
  recordedRouter,
} from '../simulated/routers.ts';
import type { Host, Hosting } from './hosting.ts';

/** The part for terminators of the running controller, and routers that speak to it. */
export class Terminating {
  readonly hosting: Hosting;
  readonly feature: TerminatorsFeature;
  readonly connected = new RecordedRouters();
  readonly logged: string[] = [];

  constructor(hosting: Hosting) {
    this.hosting = hosting;
    const { env, core, clock, random } = hosting.network;
    const write = (line: string) => void this.logged.push(line);
    const { log } = createLog({ level: 'warn', clock, readable: false, write });
    const { connected } = this;
    const context: RoutersContext = { env, durable: core.durable, log, random, connected };
    this.feature = createTerminators(context, createSessionChecks(context));
    for (const _ of this.feature.lead?.() ?? []);
  }

  /** The router of the network, or another one, connects. */
  connect(id = this.hosting.router): RecordedRouter {
    const router = recordedRouter(id);
    this.connected.add(router);
    this.feature.connected?.(router);
    return router;
  }

  disconnect(router: RecordedRouter): void {
    this.connected.remove(router.id);
    this.feature.disconnected?.(router);
  }

  /** The router sends a message. */
  receive(
    router: RecordedRouter,
    type: number,
    body: Buffer = Buffer.alloc(0),
    headers?: Headers,
  ): void {
    this.hosting.network.env.store.fence.begin();
    handleWhole(this.feature.handlers.get(type), router, receivedFrame(type, body, headers));
  }

  /** A client binds through the router. */
  bind(
    router: RecordedRouter,
    address: string,
    more: edge.CreateTerminatorV2Request.$Properties = {},
    host: Pick<Host, 'token' | 'sessionToken'> = this.hosting.host,
  ): void {
    const { token: apiSessionToken, sessionToken } = host;
    const body = encodeMessage(edge.CreateTerminatorV2Request, {
      address,
      apiSessionToken,
      sessionToken,
      ...more,
    });
    this.receive(router, contentTypes.createTerminatorV2, body);
  }

  /** As `bind`; waits until it is durable, and answers the reply. */
  async bound(...asked: Parameters<Terminating['bind']>): Promise<edge.CreateTerminatorV2Response> {
    const [router] = asked;
    this.bind(...asked);
    await this.settle();
    return lastCreation(router);
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    await this.hosting.network.advance(0);
  }
}

/** The last reply to a creation. */
export function lastCreation({ channel }: RecordedRouter): edge.CreateTerminatorV2Response {
  const body = channel.replies.at(-1)?.message.body ?? Buffer.alloc(0);
  return decodeMessage(edge.CreateTerminatorV2Response, body);
}

/** The questions for terminators that a router was sent. */
export function questionsOf({ channel }: RecordedRouter): fabric.ValidateTerminatorsV2Request[] {
  return channel.sent
    .filter(({ contentType }) => contentType === contentTypes.validateTerminatorsV2)
    .map(({ body }) => decodeMessage(fabric.ValidateTerminatorsV2Request, body ?? Buffer.alloc(0)));
}
