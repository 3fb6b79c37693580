// A router of the field as its controller sees it: it speaks the control channel over a TLS socket
// or in memory, and answers what routers answer. One process can hold thousands of them.

import type { TLSSocket } from 'node:tls';
import type { Frame, Message } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { encodeFrame, FrameReader } from '../../src/channel/frame.ts';
import {
  booleanHeader,
  booleanValue,
  bytesMapValue,
  capabilitiesValue,
  encodeHeaders,
  headerKeys,
  helloHeaderKeys,
  textValue,
  uint32Value,
} from '../../src/channel/headers.ts';
import { decodeMessage, edge, encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import type { Clock, Timer } from '../../src/platform/ports.ts';
import type { RouterWire } from './control-connection.ts';

/** What a twin is and does. */
export interface TwinOptions {
  readonly id: string;
  readonly clock: Clock;
  /** The release line, which decides on the headers of its hello. */
  readonly line?: '1.x' | '2.x';
  readonly version?: string;
  /** The secret of the group that it had before. */
  readonly secret?: Buffer;
  readonly linkListeners?: readonly fabric.LinkListener.$Properties[];
  /** The name at which it accepts clients; a router without one has no edge. */
  readonly hostname?: string;
  /** Whether it sends heartbeats and answers those of the controller; true when absent. */
  readonly beats?: boolean;
  /** Whether it keeps what it receives in `received`; true when absent. */
  readonly keeps?: boolean;
}

/** Handles a frame of the controller. */
export type TwinHandler = (frame: Frame) => void;

/** A simulated router. */
export class RouterTwin {
  readonly options: TwinOptions;
  readonly wire: RouterWire;
  /** What it has received after the result, without heartbeats. */
  readonly received: Frame[] = [];
  /** The answer to its hello. */
  result: Frame | undefined;
  isClosed = false;
  /** How many heartbeats of the controller it has seen. */
  beats = 0;
  /** Called after the result and at the end. */
  onResult: ((result: Frame) => void) | undefined;
  onClosed: (() => void) | undefined;
  readonly #reader = new FrameReader();
  readonly #handlers: Map<number, TwinHandler>;
  readonly #waiters = new Map<number, TwinHandler>();
  #sequence = 0;
  #timer: Timer | undefined;

  constructor(wire: RouterWire, options: TwinOptions) {
    this.wire = wire;
    this.options = options;
    this.#handlers = new Map(
      answers.map(([type, answer]) => [type, (frame) => answer(this, frame)]),
    );
    wire.listen({ data: (bytes) => this.#data(bytes), closed: () => this.#closed() });
  }

  /** Whether the controller has accepted its hello. */
  get isAccepted(): boolean {
    return (
      this.result !== undefined && booleanHeader(this.result.headers, headerKeys.resultSuccess)
    );
  }

  /** The secret of its group, for its next connection. */
  get secret(): Buffer | undefined {
    return this.result?.headers.get(headerKeys.groupSecret);
  }

  /** Says hello. */
  greet(): void {
    this.wire.write(helloBytes(this.options));
  }

  /** Handles frames of this type in its own way. */
  handle(contentType: number, handler: TwinHandler): void {
    this.#handlers.set(contentType, handler);
  }

  send(message: Message): number {
    return this.#write(message, undefined);
  }

  reply(to: Frame, message: Message): void {
    this.#write(message, to);
  }

  /** Sends a message and calls `waiter` with its reply. */
  request(message: Message, waiter: TwinHandler): void {
    this.#waiters.set(this.send(message), waiter);
  }

  /** Sends a message and waits for its reply. */
  ask(message: Message): Promise<Frame> {
    return new Promise((resolve) => this.request(message, resolve));
  }

  close(): void {
    this.wire.close();
  }

  #data(bytes: Buffer): void {
    this.#reader.push(bytes);
    for (let frame = this.#reader.next(); frame !== undefined; frame = this.#reader.next()) {
      if (this.result === undefined) this.#accepted(frame);
      else this.#received(frame);
    }
  }

  #accepted(result: Frame): void {
    this.result = result;
    if (this.options.beats !== false) this.#beat();
    this.onResult?.(result);
  }

  #received(frame: Frame): void {
    const stamp = frame.headers.get(headerKeys.heartbeat);
    if (stamp !== undefined && this.options.beats !== false) {
      this.beats += 1;
      const headers = encodeHeaders([[headerKeys.heartbeatResponse, stamp]]);
      this.send({ contentType: contentTypes.heartbeat, headers });
    }
    if (frame.contentType === contentTypes.heartbeat) return;
    if (this.options.keeps !== false) this.received.push(frame);
    const replyFor = frame.headers.get(headerKeys.replyFor)?.readInt32LE(0);
    const waiter = replyFor === undefined ? undefined : this.#waiters.get(replyFor);
    if (waiter === undefined || replyFor === undefined) {
      this.#handlers.get(frame.contentType)?.(frame);
      return;
    }
    this.#waiters.delete(replyFor);
    waiter(frame);
  }

  #beat(): void {
    const stamp = Buffer.alloc(8);
    stamp.writeBigUInt64LE(BigInt(this.options.clock.now()) * 1_000_000n);
    const headers = encodeHeaders([[headerKeys.heartbeat, stamp]]);
    this.send({ contentType: contentTypes.heartbeat, headers });
    this.#timer = this.options.clock.after(heartbeatMs, () => this.#beat());
  }

  #write(message: Message, to: Frame | undefined): number {
    if (this.isClosed) return 0;
    const chunks: Buffer[] = [];
    const { contentType, headers, body } = message;
    const reflected = to?.headers.get(headerKeys.reflected);
    this.#sequence += 1;
    const sequence = this.#sequence;
    encodeFrame(
      { contentType, sequence, replyFor: to?.sequence, reflected, headers, body },
      chunks,
    );
    this.wire.write(chunks);
    return sequence;
  }

  #closed(): void {
    this.isClosed = true;
    this.#timer?.cancel();
    this.onClosed?.();
  }
}

/** The bytes of a router's first frame. */
export function helloBytes(options: TwinOptions): Buffer[] {
  const { id, line = '2.x', secret, linkListeners = [], version = versionOf(line) } = options;
  const isGrouped = line === '2.x';
  const entries: (readonly [number, Buffer])[] = [
    [headerKeys.versionInfo, textValue(`${version}|abc123|2026-10-01 00:00:00|linux|amd64`)],
  ];
  if (isGrouped) {
    entries.push(
      [headerKeys.connectionType, textValue('ctrl.default')],
      [headerKeys.isGrouped, booleanValue(true)],
      [headerKeys.isFirstOfGroup, booleanValue(true)],
    );
    if (secret) entries.push([headerKeys.connectionId, textValue('-2')]);
    if (secret) entries.push([headerKeys.groupSecret, secret]);
  }
  if (linkListeners.length > 0) {
    const listeners = encodeMessage(fabric.Listeners, { listeners: [...linkListeners] });
    entries.push([isGrouped ? helloHeaderKeys.listeners : 10, listeners]);
  }
  const capabilities = capabilitiesValue([1, 2, 4, 5, 6, 62]);
  entries.push([isGrouped ? helloHeaderKeys.capabilities : 12, capabilities]);
  const chunks: Buffer[] = [];
  encodeFrame(
    { contentType: 0, sequence: -1, headers: encodeHeaders(entries), body: Buffer.from(id) },
    chunks,
  );
  return chunks;
}

function versionOf(line: '1.x' | '2.x'): string {
  return line === '2.x' ? 'v2.1.0' : 'v1.6.0';
}

/** Messages as routers send them. */
export const twinMessages = {
  /** 20001, of a router that accepts clients at this name. */
  clientHello: (hostname: string, version = 'v2.1.0'): Message => {
    const advertise = { value: `${hostname}:3022`, protocol: 'tls', hostname, port: 3022 };
    const address = { ...advertise, hostname: '0.0.0.0', value: '0.0.0.0:3022' };
    return {
      contentType: contentTypes.clientHello,
      headers: encodeHeaders([[1024, booleanValue(true)]]),
      body: encodeMessage(edge.ClientHello, {
        version,
        hostname,
        protocols: ['tls'],
        protocolPorts: ['3022'],
        listeners: [{ address, advertise }],
      }),
    };
  },
  /** 1035. */
  links: (links: readonly fabric.RouterLink.$Properties[], fullRefresh = true): Message => ({
    contentType: contentTypes.routerLinks,
    body: encodeMessage(fabric.RouterLinks, { links: [...links], fullRefresh }),
  }),
  /** 1052. */
  interfaces: (interfaces: readonly fabric.Interface.$Properties[]): Message => ({
    contentType: contentTypes.routerInterfaces,
    body: encodeMessage(fabric.RouterInterfacesUpdate, { interfaces: [...interfaces] }),
  }),
  /** 20415. */
  connectEvents: (
    events: readonly edge.IdentityConnectEvents.$Properties[],
    fullState = true,
  ): Message => ({
    contentType: contentTypes.connectEvents,
    body: encodeMessage(edge.ConnectEvents, { events: [...events], fullState }),
  }),
  /** 1034: circuits and how long each has been idle, in ms. */
  circuits: (idleMs: Readonly<Record<string, number>>): Message => ({
    contentType: contentTypes.circuitConfirmation,
    body: encodeMessage(fabric.CircuitConfirmation, {
      circuitIds: Object.keys(idleMs),
      idleTimes: Object.fromEntries(Object.entries(idleMs).map(([id, ms]) => [id, ms * 1e6])),
    }),
  }),
  /** 20216. */
  createTerminator: (asked: edge.CreateTerminatorV2Request.$Properties): Message => ({
    contentType: contentTypes.createTerminatorV2,
    body: encodeMessage(edge.CreateTerminatorV2Request, asked),
  }),
  /** 20218. */
  createCircuit: (asked: {
    readonly sessionToken: string;
    readonly apiSessionToken: string;
    readonly fingerprints?: readonly string[];
    readonly instanceId?: string;
    readonly peerData?: ReadonlyMap<number, Buffer>;
  }): Message => ({
    contentType: contentTypes.createCircuitV2,
    headers: encodeHeaders([
      [11, textValue(asked.sessionToken)],
      [12, textListValue(asked.fingerprints ?? [])],
      [13, textValue(asked.instanceId ?? '')],
      [14, textValue(asked.apiSessionToken)],
      [10, bytesMapValue(asked.peerData ?? new Map())],
    ]),
  }),
  /** 20222, for a client with a JWT. */
  createCircuitByJwt: (asked: {
    readonly accessToken: string;
    readonly identityId: string;
    readonly serviceId: string;
  }): Message => ({
    contentType: contentTypes.createCircuitV3,
    headers: encodeHeaders([
      [12, textListValue([])],
      [13, textValue('')],
      [14, textValue(asked.accessToken)],
      [15, textValue(asked.identityId)],
      [16, textValue(asked.serviceId)],
      // The id of the circuit, which routers leave to the controller.
      [17, textValue('')],
      [10, bytesMapValue(new Map())],
    ]),
  }),
  /** 1022, when the route was taken. */
  routeResult: (circuitId: string, attempt: number): Message => ({
    contentType: contentTypes.routeResult,
    headers: encodeHeaders([
      [1101, uint32Value(attempt)],
      [1102, booleanValue(true)],
    ]),
    body: Buffer.from(circuitId),
  }),
};

/** A list of texts: their number, then each with its length. */
function textListValue(texts: readonly string[]): Buffer {
  if (texts.length === 0) return Buffer.alloc(0);
  const items = texts.map((text) => [uint32Value(Buffer.byteLength(text)), textValue(text)]);
  return Buffer.concat([uint32Value(texts.length), ...items.flat()]);
}

/** What a router answers when all is well. */
const answers: readonly (readonly [number, (twin: RouterTwin, frame: Frame) => void])[] = [
  [contentTypes.serverHello, answerHello],
  [contentTypes.route, answerRoute],
  [contentTypes.validateTerminatorsV2, answerTerminators],
];

function answerHello(twin: RouterTwin, frame: Frame): void {
  const { hostname, version } = twin.options;
  if (hostname !== undefined) twin.reply(frame, twinMessages.clientHello(hostname, version));
}

function answerRoute(twin: RouterTwin, frame: Frame): void {
  const { circuitId, attempt } = decodeMessage(fabric.Route, frame.body);
  twin.reply(frame, twinMessages.routeResult(circuitId, attempt));
}

function answerTerminators(twin: RouterTwin, frame: Frame): void {
  const { terminators } = decodeMessage(fabric.ValidateTerminatorsV2Request, frame.body);
  const states = Object.fromEntries(
    (terminators ?? []).map(({ id, marker }) => [id ?? '', { valid: true, marker: marker ?? 0 }]),
  );
  twin.reply(frame, {
    contentType: contentTypes.validateTerminatorsV2Response,
    body: encodeMessage(fabric.ValidateTerminatorsV2Response, { states }),
  });
}

/** The router's end of a TLS connection. */
export function tlsWire(socket: TLSSocket): RouterWire {
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  return {
    listen: (listener) => {
      socket.on('data', (bytes) => listener.data(bytes));
      socket.on('close', () => listener.closed());
    },
    write: (chunks) => {
      socket.cork();
      for (const chunk of chunks) socket.write(chunk);
      socket.uncork();
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => void socket.destroy(),
  };
}

/** Routers send their heartbeats so often. */
const heartbeatMs = 10_000;
