// A WebSocket as the application sees it, free of the server that carries it.

import type { HttpReply, HttpRequest } from '../exchange.ts';

/** The server's side of an open WebSocket; safe to use after it has closed. */
export interface Socket {
  readonly isOpen: boolean;
  /** Bytes that were sent and that the connection has not taken; 0 once it is closed. */
  readonly bufferedBytes: number;
  /**
   * Sends text messages, UTF-8 where they are bytes. Nothing is refused: who sends looks at
   * `bufferedBytes` before, and the connection is dropped where far too much is buffered.
   */
  send(...messages: readonly (Uint8Array | string)[]): void;
  /** Says goodbye (RFC 6455 §7.4) and closes; `closed` is called within. */
  close(code: number, reason: string): void;
  /** Drops the connection without a word, for a peer that takes none; `closed` is called within. */
  terminate(): void;
}

/** What is told of an open WebSocket. */
export interface SocketListener {
  /** A whole message came, within its bound; one of bytes is taken for text. */
  message(text: string): void;
  /** It is closed, by whomever; nothing else is told after it. */
  closed(): void;
}

/** Who takes the WebSockets of one path. */
export interface SocketHandler {
  /** As sent: `/edge/management/v1/inspect/stream`. */
  readonly path: string;
  /**
   * A request to become a WebSocket. Answers who takes it, or undefined where it was refused
   * through `reply`. In this very turn: the request is gone afterwards.
   */
  upgrade(request: HttpRequest, reply: HttpReply): ((socket: Socket) => SocketListener) | undefined;
}

/** Close codes of RFC 6455 §7.4.1 that we use. */
export const closeCodes = { goingAway: 1001, policy: 1008 } as const;

/**
 * Whether a browser's page may open a WebSocket here: only one that came from this very host.
 * Browsers ask nobody else's leave (RFC 6455 §10.2). Whoever sends no `Origin` is no page.
 */
export function isOwnOrigin(origin: string, host: string): boolean {
  if (origin === '') return true;
  const asked = URL.parse(`https://${host}`);
  const from = URL.parse(origin);
  return from?.protocol === 'https:' && from.host !== '' && from.host === asked?.host;
}
