// The hello of edge routers for clients' traffic: the controller asks, the router answers, and the
// sync of what it needs begins in its turn (behaviour/control-channel#presence).

import { type Frame, MalformedMessage } from '../channel/channel-api.ts';
import { contentTypes } from '../channel/content-types.ts';
import { booleanValue, encodeHeaders } from '../channel/headers.ts';
import { decodeMessage, edge, encodeMessage } from '../channel/messages/messages.ts';
import type { Timer } from '../platform/ports.ts';
import { routerKind } from '../records/router.ts';
import type { RoutersContext } from './context.ts';
import { ownVersion } from './own-version.ts';
import type { PacedWork } from './paced-work.ts';
import type { PresenceEvents } from './presence-events.ts';
import type { ConnectedRouter, RouterFeature } from './router-feature.ts';

/** What the hello works with. */
export interface ClientHelloOptions extends RoutersContext {
  readonly presence: PresenceEvents;
  readonly paced: PacedWork;
  /** Tells all parts that an edge router is ready to be synced. */
  greeted(router: ConnectedRouter, hello: edge.ClientHello): void;
}

/** Bounds of the hello for clients' traffic. */
export const clientHelloBounds = {
  /** Listeners for clients that a router names; it has one or two. @bound per entity */
  clientListenersMax: 32,
  /** Characters of a host name or protocol; DNS has 253. @bound per entity */
  listenerCharactersMax: 300,
};

/** Asks each edge router that connects. */
export function createClientHello(options: ClientHelloOptions): RouterFeature {
  const asked = new PendingHellos(options);
  return {
    handlers: new Map([
      [contentTypes.clientHello, (router, frame) => receive(options, asked, router, frame)],
    ]),
    connected(router) {
      if (options.env.store.table(routerKind).find(router.id)?.record.isEdge) asked.ask(router);
    },
    disconnected: (router) => asked.end(router),
  };
}

function receive(
  { presence, paced, connected, greeted, env }: ClientHelloOptions,
  asked: PendingHellos,
  router: ConnectedRouter,
  { body }: Frame,
): void {
  const hello = decodeMessage(edge.ClientHello, body);
  const supportedProtocols = protocolsOf(hello);
  const isEdge = env.store.table(routerKind).find(router.id)?.record.isEdge === true;
  if (!isEdge) return;
  presence.greet(router, { hostname: checked(hello.hostname), supportedProtocols });
  // A router that was asked twice may answer twice.
  if (!asked.end(router)) return;
  paced.add(router, () => {
    if (connected.get(router.id) !== router) return;
    greeted(router, hello);
  });
}

/** The addresses for clients by protocol. @throws MalformedMessage */
function protocolsOf(hello: edge.ClientHello): Record<string, string> {
  const { listeners, protocols, protocolPorts, hostname } = hello;
  const { clientListenersMax } = clientHelloBounds;
  if (Math.max(listeners.length, protocols.length) > clientListenersMax) {
    throw new MalformedMessage('there are too many listeners');
  }
  const addresses: Record<string, string> = {};
  for (const { advertise } of listeners) {
    if (!advertise) continue;
    const protocol = checked(advertise.protocol ?? '');
    addresses[protocol] =
      `${protocol}://${checked(advertise.hostname ?? '')}:${advertise.port ?? 0}`;
  }
  if (listeners.length > 0) return addresses;
  // Routers of the 1.x line say it so.
  for (const [index, protocol] of protocols.entries()) {
    const port = checked(protocolPorts[index] ?? '');
    addresses[checked(protocol)] = `${protocol}://${checked(hostname)}:${port}`;
  }
  return addresses;
}

/** Host names, protocols and ports become parts of URLs. @throws MalformedMessage */
function checked(text: string): string {
  if (text.length > clientHelloBounds.listenerCharactersMax || !/^[\w.:[\]%-]*$/.test(text)) {
    throw new MalformedMessage('a listener has no proper address');
  }
  return text;
}

/** The header that says whether the router data model is spoken. */
const dataModelHeader = 1024;

/** How long a router may take to answer before it is asked again, in ms. */
const answerMs = 10_000;

/**
 * After so many questions without an answer, the channel of an edge router is closed.
 * @bound per entity
 */
const clientHellosRequestedMax = 3;

/** How often those that were asked are looked through, in ms. */
const tickMs = 1000;

/** The routers that have not answered yet, the longest first. */
class PendingHellos {
  readonly #options: ClientHelloOptions;
  readonly #asked = new Map<
    ConnectedRouter,
    { readonly sinceMs: number; readonly times: number }
  >();
  readonly #question: { readonly headers: Buffer; readonly body: Buffer };
  #timer: Timer | undefined;

  constructor(options: ClientHelloOptions) {
    this.#options = options;
    this.#question = {
      headers: encodeHeaders([[dataModelHeader, booleanValue(true)]]),
      body: encodeMessage(edge.ServerHello, {
        version: ownVersion.version,
        // API sessions are sent as they begin, and public keys as a part of the data model.
        data: { instant: 'true', routerModel: 'true' },
      }),
    };
  }

  ask(router: ConnectedRouter, times = 1): void {
    const { env, presence } = this.#options;
    this.#asked.delete(router);
    this.#asked.set(router, { sinceMs: env.clock.monotonic(), times });
    router.channel.send({ contentType: contentTypes.serverHello, ...this.#question });
    presence.askHello(router);
    this.#timer ??= env.clock.after(tickMs, () => this.#tick());
  }

  /** Whether it was asked and had not answered. */
  end(router: ConnectedRouter): boolean {
    return this.#asked.delete(router);
  }

  #tick(): void {
    const { env } = this.#options;
    this.#timer = undefined;
    const nowMs = env.clock.monotonic();
    for (const [router, { sinceMs, times }] of this.#asked) {
      if (nowMs - sinceMs < answerMs) break;
      if (times < clientHellosRequestedMax) this.ask(router, times + 1);
      else {
        this.#asked.delete(router);
        router.channel.close('it has not answered the hello for clients');
      }
    }
    if (this.#asked.size > 0) this.#timer ??= env.clock.after(tickMs, () => this.#tick());
  }
}
