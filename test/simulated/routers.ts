// Connected routers without a connection: a part of the control plane is tested by what it sends.

import type {
  Channel,
  Frame,
  Headers,
  Message,
  ReplyWaiter,
} from '../../src/channel/channel-api.ts';
import type {
  ConnectedRouter,
  ConnectedRouters,
  MessageHandler,
} from '../../src/routers/router-feature.ts';

/** A request that waits for the router's reply. */
export interface RecordedRequest {
  readonly message: Message;
  readonly timeoutMs: number;
  /** Replies, or lets the time pass. */
  readonly waiter: ReplyWaiter;
}

/** A reply that was sent. */
export interface RecordedReply {
  readonly to: Frame;
  readonly message: Message;
}

/** The whole body of a message. */
export function bodyOf({ body, bodyRest }: Message): Buffer {
  return Buffer.concat([body ?? Buffer.alloc(0), bodyRest ?? Buffer.alloc(0)]);
}

/** Keeps what is sent, in order. */
export class RecordedChannel implements Channel {
  unsentBytes = 0;
  isClosed = false;
  /** Why it was closed. */
  closeReason: string | undefined;
  readonly sent: Message[] = [];
  readonly requests: RecordedRequest[] = [];
  readonly replies: RecordedReply[] = [];
  readonly results: { readonly to: Frame; readonly isSuccess: boolean; readonly text: string }[] =
    [];

  send(message: Message): void {
    this.sent.push(message);
  }

  /** How many messages had been sent when they were last written. */
  flushed = 0;

  flush(): void {
    this.flushed = this.sent.length;
  }

  request(message: Message, timeoutMs: number, waiter: ReplyWaiter): void {
    this.requests.push({ message, timeoutMs, waiter });
  }

  reply(to: Frame, message: Message): void {
    this.replies.push({ to, message });
  }

  replyResult(to: Frame, isSuccess: boolean, text = ''): void {
    this.results.push({ to, isSuccess, text });
  }

  close(reason: string): void {
    this.isClosed = true;
    this.closeReason ??= reason;
  }
}

/** A connected router whose channel is recorded. */
export interface RecordedRouter extends ConnectedRouter {
  readonly channel: RecordedChannel;
}

/** A router of this id. */
export function recordedRouter(
  id: string,
  linkListeners: ConnectedRouter['linkListeners'] = [],
): RecordedRouter {
  return { id, channel: new RecordedChannel(), version: 'v2.1.0', linkListeners };
}

/** Connected routers as a test wants them. */
export class RecordedRouters implements ConnectedRouters {
  readonly #routers = new Map<string, RecordedRouter>();

  get size(): number {
    return this.#routers.size;
  }

  get(routerId: string): RecordedRouter | undefined {
    return this.#routers.get(routerId);
  }

  all(): Iterable<RecordedRouter> {
    return this.#routers.values();
  }

  add(router: RecordedRouter): void {
    this.#routers.set(router.id, router);
  }

  remove(routerId: string): void {
    this.#routers.delete(routerId);
  }
}

/** Handles a message to the end, as a channel does step by step. */
export function handleWhole(
  handler: MessageHandler | undefined,
  router: ConnectedRouter,
  frame: Frame,
): void {
  for (const _ of handler?.(router, frame) ?? []);
}

let sequence = 0;

/** A frame as it arrives from a router. */
export function receivedFrame(
  contentType: number,
  body: Buffer = Buffer.alloc(0),
  headers: Headers = new Map(),
): Frame {
  return { contentType, sequence: ++sequence, headers, body };
}
