// A program on the WebSocket of the fabric API, without a network.

import type { Frame } from '../../src/channel/channel-api.ts';
import { decodeFrame, encodeFrame } from '../../src/channel/frame.ts';
import { booleanHeader, headerKeys } from '../../src/channel/headers.ts';
import { fabricTypes } from '../../src/events/socket/fabric-types.ts';
import type { Network } from '../simulated/network.ts';
import { type SimulatedSocket, upgrade } from '../simulated/socket.ts';

/** An event as a program reads it. */
export type ReadEvent = Readonly<Record<string, unknown>>;

/** One program. */
export class FabricClient {
  readonly socket: SimulatedSocket;
  #sequence = 0;

  constructor(socket: SimulatedSocket) {
    this.socket = socket;
  }

  /** Sends a request; answers its sequence. */
  ask(contentType: number, body: Buffer | string | object = ''): number {
    this.#sequence += 1;
    const isText = typeof body === 'string' || Buffer.isBuffer(body);
    const bytes = Buffer.from(isText ? (body as string) : JSON.stringify(body));
    const chunks: Buffer[] = [];
    encodeFrame({ contentType, sequence: this.#sequence, body: bytes }, chunks);
    this.socket.sayBinary(Buffer.concat(chunks));
    return this.#sequence;
  }

  /** Subscribes to types without options, or to subscriptions as they are sent. */
  subscribe(...types: (string | object)[]): void {
    const subscriptions = types.map((type) => (typeof type === 'string' ? { type } : type));
    this.ask(fabricTypes.streamEvents, { format: 'json', subscriptions });
  }

  /** All frames that have come since the last call. */
  frames(): Frame[] {
    this.socket.received.length = 0;
    return this.socket.receivedBytes.splice(0).map(decodeFrame);
  }

  /** All events that have come since the last call. */
  events(): ReadEvent[] {
    return this.frames()
      .filter(({ contentType }) => contentType === fabricTypes.event)
      .map(({ body }) => JSON.parse(body.toString()) as ReadEvent);
  }

  /** The results that have come: whether each is a success, and its text. */
  results(): [boolean, string][] {
    return this.frames()
      .filter(({ contentType }) => contentType === fabricTypes.result)
      .map(({ headers, body }) => [
        booleanHeader(headers, headerKeys.resultSuccess),
        body.toString(),
      ]);
  }
}

/** Connects a program; the administrator's unless a token is given. @throws Error if refused */
export function connectClient(network: Network, token = network.admin): FabricClient {
  const { socket, status, body } = upgrade(network.core.fabricSockets, '', { 'zt-session': token });
  if (socket === undefined) throw new Error(`refused with ${status}: ${body}`);
  return new FabricClient(socket);
}
