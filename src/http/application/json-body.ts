// Parses the bytes of a body as JSON, within bounds of depth.

import { isUtf8 } from 'node:buffer';
import { ApiError } from '../../errors/errors.ts';

/**
 * The value that a body holds; undefined for an empty one.
 * @throws ApiError COULD_NOT_PARSE_BODY for anything but JSON nested at most `depthMax` deep.
 */
export function parseJson(body: Buffer, depthMax = jsonDepthMax): unknown {
  if (body.length === 0) return undefined;
  refuseDepth(body, depthMax);
  const text = body.toString('utf8');
  const json = parsed(text);
  // UTF-8 holds no half surrogate pairs, so they can only come from escapes.
  if (text.includes('\\u')) refuseHalfPairs(json);
  return json;
}

/**
 * Refuses a body that is not UTF-8 (RFC 8259 §8.1). If it were decoded anyway, all bad bytes would
 * become the same character, and two names could become one.
 * @throws ApiError COULD_NOT_PARSE_BODY.
 */
export function refuseOtherThanUtf8(body: Buffer): void {
  if (body.length > 0 && !isUtf8(body)) throw notParsed('is not UTF-8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'is not JSON';
    throw notParsed(reason.replace(/["'].*$/s, '').slice(0, 80));
  }
}

/**
 * Half a surrogate pair would be read back from the disk as another character, and two names as one
 * (RFC 7493 §2.1 forbids it).
 */
function refuseHalfPairs(json: unknown): void {
  if (typeof json === 'string') {
    if (/\p{Surrogate}/u.test(json)) throw notParsed('holds half a surrogate pair');
  } else if (typeof json === 'object' && json !== null) {
    for (const [key, value] of Object.entries(json)) {
      refuseHalfPairs(key);
      refuseHalfPairs(value);
    }
  }
}

/** Counts brackets outside of strings before any recursive code reads the text. */
function refuseDepth(body: Buffer, depthMax: number): void {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (inString) {
      if (byte === 0x5c) i++;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > depthMax) throw notParsed(`is nested deeper than ${depthMax}`);
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
}

function notParsed(reason: string): ApiError {
  return new ApiError('COULD_NOT_PARSE_BODY', { cause: { field: 'body', reason, value: '' } });
}

/**
 * Nesting of JSON bodies. The API's own bodies are far flatter; config data and schemas of config
 * types bring their own. @bound per request
 */
export const jsonDepthMax = 32;
