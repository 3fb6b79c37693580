// A WebSocket as the application sees it, free of the server that carries it.

import type { HttpReply, HttpRequest } from '../../platform/http-exchange.ts';

/** The server's side of an open WebSocket; safe to use after it has closed. */
export interface Socket {
  readonly isOpen: boolean;
  /** Sent bytes that the connection has not taken; 0 once it is closed. */
  readonly bufferedBytes: number;
  /**
   * Sends text messages, UTF-8 where they are bytes; bytes are binary messages where the handler
   * has asked for that. Nothing is refused: the sender checks `bufferedBytes` before, and the
   * connection is dropped when far too much is buffered.
   */
  send(...messages: readonly (Uint8Array | string)[]): void;
  /** Sends a close frame (RFC 6455 §7.4) and closes; `closed` is called within. */
  close(code: number, reason: string): void;
  /**
   * Drops the connection without a close frame, for a peer that reads nothing; `closed` is called
   * within.
   */
  terminate(): void;
}

/** The events of an open WebSocket. */
export interface SocketListener {
  /** A complete message arrived, within its bound. */
  message(text: string): void;
  /** A complete binary message arrived; without this function it is read as text. */
  binary?(bytes: Buffer): void;
  /** It is closed, by either side; no event follows. */
  closed(): void;
}

/** The handler of the WebSockets of one path. */
export interface SocketHandler {
  /** As sent: `/edge/management/v1/inspect/stream`. */
  readonly path: string;
  /** Whether bytes that it sends are binary messages. */
  readonly sendsBinary?: boolean;
  /** In place of bounds of the server. */
  readonly limits?: Partial<SocketLimits>;
  /**
   * A request to become a WebSocket. Returns its listener, or undefined if it was refused through
   * `reply`. Must answer in this turn, because the request is gone afterwards.
   */
  upgrade(request: HttpRequest, reply: HttpReply): ((socket: Socket) => SocketListener) | undefined;
}

/** The bounds of the WebSockets of one path. */
export interface SocketLimits {
  /** Bytes of one message; a longer one closes the connection. */
  readonly socketMessageBytesMax: number;
  /** Bytes that a WebSocket has not taken; beyond it the connection is dropped. */
  readonly socketBufferBytesMax: number;
  /** A WebSocket that takes and sends nothing for so long is dropped. */
  readonly socketIdleTimeoutMs: number;
}

/** Close codes of RFC 6455 §7.4.1 that we use. */
export const closeCodes = { goingAway: 1001, unsupported: 1003, policy: 1008 } as const;

/**
 * Whether a browser's page may open a WebSocket here: only a page of this very host. Browsers do
 * not check this themselves (RFC 6455 §10.2). A client that sends no `Origin` is not a page.
 */
export function isOwnOrigin(origin: string, host: string): boolean {
  if (origin === '') return true;
  const asked = URL.parse(`https://${host}`);
  const from = URL.parse(origin);
  return from?.protocol === 'https:' && from.host !== '' && from.host === asked?.host;
}
