// What the answer to a published message says about it.

import type { PublishOutcome } from '../stream.ts';
import { apiErrors, oneLine } from './failure.ts';

/**
 * Reads the answer of a stream. Only an acknowledgement says that the message is in, and only the
 * two errors about the expected sequence say that it was refused. Whatever else came leaves open
 * what happened to it (behaviour/cluster#the-stream-at-nats).
 * @param stream the stream that has to have answered
 */
export function outcomeOfAnswer(answer: Uint8Array, stream: string): PublishOutcome {
  const fields = parsed(answer);
  if (fields === undefined) return unknown('the answer is not JSON');
  const { error, stream: from, seq, duplicate } = fields;
  if (error !== undefined) return outcomeOfError(error);
  if (from !== stream) return unknown('another stream has answered');
  if (duplicate === true) return unknown('the stream took the message for a duplicate');
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) {
    return unknown('the acknowledgement has no sequence');
  }
  return { outcome: 'acknowledged', sequence: seq };
}

/** Why a message was not acknowledged; undefined if it was, also as one that was there before. */
export function answeredError(answer: Uint8Array): string | undefined {
  const fields = parsed(answer);
  if (fields === undefined) return 'the answer is not JSON';
  const { error, seq } = fields;
  if (error !== undefined) {
    const outcome = outcomeOfError(error);
    return outcome.outcome === 'unknown' ? outcome.reason : 'the stream has refused the message';
  }
  return typeof seq === 'number' ? undefined : 'the acknowledgement has no sequence';
}

function outcomeOfError(error: unknown): PublishOutcome {
  if (!isObject(error)) return unknown('the stream answered an error without a number');
  const { err_code: code, description } = error;
  if (code === apiErrors.wrongLastSequence || code === apiErrors.wrongLastSequenceUnknown) {
    return { outcome: 'refused' };
  }
  const text = typeof description === 'string' ? oneLine(description) : 'no description';
  return unknown(`the stream answered error ${typeof code === 'number' ? code : '?'}: ${text}`);
}

function unknown(reason: string): PublishOutcome {
  return { outcome: 'unknown', reason };
}

function parsed(answer: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(answer).toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
