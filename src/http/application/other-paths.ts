// Handlers of paths outside both APIs: the inspector's page, the console, health checks.

import { ApiError } from '../../errors/errors.ts';
import type { Header, HttpReply, HttpRequest } from '../../platform/http-exchange.ts';

/** The answer of such a handler; a HEAD request gets it without the body. */
export interface OutsideAnswer {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Uint8Array | string;
}

/** Serves one path, or all paths below one. Needs no session, and reads no record. */
export interface OutsideHandler {
  /**
   * Begins with one of the words that `routes.ts` keeps from the client API: `/inspect`. The rest
   * is as sent, still percent-encoded, but without doubled slashes.
   */
  readonly path: string;
  /** Whether it also serves paths below it (`/inspect/…`). */
  readonly isPrefix?: boolean;
  /** HEAD is included in GET. */
  readonly methods: readonly string[];
  /** Answers at once, in less than a millisecond. @throws ApiError, which is answered. */
  answer(request: HttpRequest): OutsideAnswer;
}

/**
 * Answers a request whose path belongs to a handler; false if no handler claims it.
 * @throws ApiError METHOD_NOT_ALLOWED with `allow`, and what the handler throws.
 */
export function answerOutside(
  handlers: readonly OutsideHandler[],
  request: HttpRequest,
  to: HttpReply,
): boolean {
  const handler = handlers.find((one) => claims(one, request.path));
  if (handler === undefined) return false;
  const asked = request.method === 'HEAD' ? 'GET' : request.method;
  if (!handler.methods.includes(asked)) {
    throw new ApiError('METHOD_NOT_ALLOWED', { headers: [['allow', allowed(handler)]] });
  }
  const answer = handler.answer(request);
  if (answer.body.length > wholeBytesMax && request.method === 'GET') sendInChunks(to, answer);
  else to.send(answer.status, answer.headers, answer.body);
  return true;
}

/**
 * Bytes of an answer that is sent whole. What its peer has not taken of it is copied, so for larger
 * ones this would let strangers fill the room for unread answers. @bound per request
 */
const wholeBytesMax = 256 * 1024;

/** Bytes of one chunk of a larger answer: all that a peer who reads slowly keeps. */
const chunkBytes = 64 * 1024;

function sendInChunks(to: HttpReply, { status, headers, body }: OutsideAnswer): void {
  const stream = to.open(status, headers);
  let at = 0;
  const go = (): void => {
    while (at < body.length && !stream.isOver) {
      const chunk = body.slice(at, at + chunkBytes);
      at += chunkBytes;
      if (!stream.write(chunk)) return;
    }
    stream.end();
  };
  stream.onDrain(go);
  go();
}

function claims({ path, isPrefix }: OutsideHandler, asked: string): boolean {
  if (asked === path || asked === `${path}/`) return true;
  return isPrefix === true && asked.startsWith(path) && asked.charCodeAt(path.length) === 47;
}

function allowed({ methods }: OutsideHandler): string {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}
