// What failed calls of the NATS client mean.

import { JetStreamApiError } from '@nats-io/jetstream';
import { RequestError, TimeoutError } from '@nats-io/transport-node';
import { StoreFull, StreamUnreachable } from '../stream.ts';

/**
 * Longest text of a server that is passed on: it goes to the log and to the health check.
 * @bound
 */
const reasonLengthMax = 200;

/** Why a call failed, in one short line. */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'an unknown failure';
  const inner = thrown.cause instanceof Error ? `: ${thrown.cause.message}` : '';
  const text = thrown.message === '' ? thrown.name : thrown.message;
  const whole = inner.includes(text) ? inner.slice(2) : `${text}${inner}`;
  return oneLine(whole === '' ? thrown.name : whole);
}

/** A server's text as one short line of visible characters. */
export function oneLine(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, reasonLengthMax);
}

/** Whether a call ended because no answer came in time. */
export function isTimeout(thrown: unknown): boolean {
  return thrown instanceof TimeoutError;
}

/** Whether the server answered, and what it answered is an error with this number. */
export function isApiError(thrown: unknown, code: number): boolean {
  return thrown instanceof JetStreamApiError && thrown.code === code;
}

/**
 * Whether nobody took what was sent: JetStream is off on the servers, or a stream has no leader.
 * Both come of a full disk, too, but of other things as well.
 */
export function isUnanswered(thrown: unknown): boolean {
  const { cause } = thrown instanceof Error ? thrown : {};
  return cause instanceof RequestError && cause.isNoResponders();
}

/** Whether the server answered that an account, a server or its disk has no room. */
function isFull(thrown: unknown): boolean {
  return apiErrors.full.some((code) => isApiError(thrown, code));
}

/** Whatever was thrown, as the one error by which the parts of a cluster know it. */
export function unreachable(thrown: unknown): StreamUnreachable {
  if (thrown instanceof StreamUnreachable) return thrown;
  if (isFull(thrown)) return new StoreFull(reasonOf(thrown), { cause: thrown });
  return new StreamUnreachable(reasonOf(thrown), { cause: thrown });
}

/**
 * The answer to a question about faults. A question without an answer is a fault of its own.
 * @param what is asked, as the beginning of a sentence
 */
export async function unlessUnreachable(
  asked: Promise<readonly string[]>,
  what: string,
): Promise<readonly string[]> {
  try {
    return await asked;
  } catch (thrown) {
    if (!(thrown instanceof StreamUnreachable)) throw thrown;
    return [`${what} does not answer: ${thrown.message}.`];
  }
}

/** Numbers of errors of the JetStream API that change what is done. */
export const apiErrors = {
  /** Too few servers have room for the copies of a stream. */
  noPlace: 10005,
  /** More than one copy was asked of a server that knows no others. */
  notClustered: 10074,
  streamNotFound: 10059,
  /** The account has no room, or the servers have none. */
  full: [10002, 10023, 10028, 10047],
  /** The stream does not end with the expected sequence. */
  wrongLastSequence: 10071,
  /** The same; the server does not tell where it ends. */
  wrongLastSequenceUnknown: 10164,
} as const;
