// One HTTP exchange as the application sees it, free of the server that carries it.

/** A name/value pair of a response header. */
export type Header = readonly [name: string, value: string];

/** The header by which a node names a request that it sends on. No client can send it. */
export const requestIdHeader = 'edge-request-id';

/** Bytes of the line with that header. */
export const requestNameBytes = requestIdHeader.length + ': 0123456789\r\n'.length;

/**
 * The header by which a node that follows tells its front that it leaves a request to the leader
 * because it is behind. It reaches no client.
 */
export const behindHeader: Header = ['edge-behind', 'leader'];

/** The facts that a connection's TLS front knows of its peer. */
export interface Peer {
  /** Remote IP address without port, IPv4 in dotted form also when mapped. */
  readonly address: string;
  /** The presented certificate chain in DER, the leaf first; empty when there was none. */
  readonly certificates: readonly Buffer[];
  /** Whether another node carries the connection, and names its requests by `requestIdHeader`. */
  readonly namesRequests?: boolean;
  /**
   * Notes that an API session was used on the connection, which the TLS front then does not close
   * for other connections for a while. Absent where there is no TLS front.
   */
  sessionUsed?(): void;
}

/**
 * A request. `header` may be called only until the application first awaits, unless it kept the
 * headers before.
 */
export interface HttpRequest {
  /** Upper case: `GET`. */
  readonly method: string;
  /**
   * The path as sent, still percent-encoded, without the query. The application takes needless
   * slashes out of it before anything but the routes sees it.
   */
  path: string;
  /** The query as sent, without `?`; empty when there is none. */
  readonly query: string;
  /** The whole body, at most `bodyBytesMax`; empty when there is none. */
  readonly body: Buffer;
  /**
   * Monotonic ms at which the request was complete, if it waited for this turn; undefined if it was
   * completed in this turn.
   */
  readonly arrivedMs: number | undefined;
  readonly peer: Peer;
  /** A header's value by lower-case name; several lines are joined by `, `; empty when absent. */
  header(name: string): string;
  /** Copies the headers, for a request that is decided in a later turn. */
  keepHeaders(): void;
}

/**
 * An answer. Called exactly once per request, in the same turn or later; safe after the peer has
 * disconnected.
 */
export interface HttpReply {
  /** Whether the peer has disconnected or was already answered; work for it may stop. */
  readonly done: boolean;
  /**
   * Sends the whole answer. `headers` are name/value pairs, values free of CR and LF;
   * Content-Length is added. `body` may live in a reused buffer: it is copied or written before
   * this returns.
   */
  send(status: number, headers: readonly Header[], body: Uint8Array | string): void;
  /**
   * Begins an answer of unknown length, instead of `send`. The headers are sent with the first
   * chunk. For a disconnected peer, and for HEAD, the stream is already over.
   */
  open(status: number, headers: readonly Header[]): ReplyStream;
}

/**
 * An answer that is written chunk by chunk. A peer that reads nothing for some 10 s is
 * disconnected: its answer is cut off, which it can tell from a regular end.
 */
export interface ReplyStream {
  /** Whether the peer has disconnected, or the answer was ended. */
  readonly isOver: boolean;
  /**
   * Sends a chunk, which is kept until the peer takes it. @returns whether the peer keeps up;
   * otherwise nothing may be written before `onDrain` says so.
   * @throws Error for a chunk after one that was not taken, because buffers would have no bound.
   */
  write(chunk: Uint8Array | string): boolean;
  /** Calls `listener` whenever everything was taken after `write` returned false. One listener. */
  onDrain(listener: () => void): void;
  /**
   * Calls `listener` once when the peer has disconnected, or the server ends the answer. One
   * listener.
   */
  onGone(listener: () => void): void;
  /** Ends the answer; chunks that were not taken yet are dropped. Safe when the answer is over. */
  end(): void;
}

/** The application: takes each request whose body arrived within its bounds. */
export type HttpHandler = (request: HttpRequest, reply: HttpReply) => void;
