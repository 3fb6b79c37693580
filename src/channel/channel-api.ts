// The types of the control channel: connections, frames, channels.

/**
 * A connection on which a router speaks, with TLS already taken off. The router has proven that it
 * has the key of the leaf; nothing else about its certificates is verified.
 */
export interface ControlConnection {
  /** The IP address of the other side. */
  readonly address: string;
  /** In DER as sent, the leaf first; empty when none was shown. */
  readonly certificates: readonly Buffer[];
  /** Bytes that were written and have not left the main thread yet. */
  readonly unsentBytes: number;
  /** Sets the functions that are called from then on. What has arrived earlier is kept for them. */
  listen(listener: ControlConnectionListener): void;
  /** Writes bytes in order. They must not be changed afterwards. Does nothing once closed. */
  write(chunks: readonly Buffer[]): void;
  /** Stops and resumes reading; what is already under way may still arrive. */
  pause(): void;
  resume(): void;
  /** Closes after everything written has left. Nothing is read any more. */
  end(): void;
  /** Closes at once. `closed` is called, also for this. */
  destroy(): void;
}

/** The functions that a connection calls. */
export interface ControlConnectionListener {
  /** The bytes belong to the listener. */
  data(bytes: Buffer): void;
  /** Everything that was written has left, after a time in which `unsentBytes` was not zero. */
  drained(): void;
  /** Called once, whichever side closed. */
  closed(): void;
}

/** The headers of a frame by key; a key occurs once. */
export type Headers = ReadonlyMap<number, Buffer>;

/** One received frame. */
export interface Frame {
  readonly contentType: number;
  readonly sequence: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/**
 * A message to send. Sequence, reply-for, the reflected header and heartbeats are the channel's
 * part. Bodies and headers may be shared by the messages of many channels.
 */
export interface Message {
  readonly contentType: number;
  /** The header section without the headers of the channel, made by `encodeHeaders`. */
  readonly headers?: Buffer | undefined;
  readonly body?: Buffer | undefined;
  /** The rest of the body, after the bytes in `body`, which many messages may share. */
  readonly bodyRest?: Buffer | undefined;
}

/**
 * Gets the reply, which may be of any content type; undefined when the time is over, the channel
 * has closed or too many requests wait. Called in a later turn than the request.
 */
export type ReplyWaiter = (reply: Frame | undefined) => void;

/** The channel to one router after its hello. All calls do nothing once it is closed. */
export interface Channel {
  /** Bytes that were sent and have not left yet. */
  readonly unsentBytes: number;
  readonly isClosed: boolean;
  /** Messages of one turn leave in one write. */
  send(message: Message): void;
  /** Writes what was sent in this turn now, before something else that must not leave earlier. */
  flush(): void;
  /** Sends a message whose reply goes to `waiter` instead of the handler of its type. */
  request(message: Message, timeoutMs: number, waiter: ReplyWaiter): void;
  reply(to: Frame, message: Message): void;
  /** Replies with a result (content type 2) and its text. */
  replyResult(to: Frame, isSuccess: boolean, text?: string): void;
  /** Closes; what was sent still leaves. `reason` is for the log. */
  close(reason: string): void;
}

/**
 * The rest of the work on one message, in steps of some 0.1 ms. The next message of the router
 * waits until it is done, and other routers have their turns in between. Steps may throw what the
 * first part of the work may throw, and end early when the channel closes.
 */
export type MessageSteps = Generator<undefined, void>;

/** A message that is not what its content type says: the channel is closed for it. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}
