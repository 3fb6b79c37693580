// From the bytes of a body to JSON, within bounds of depth.

import { ApiError } from '../errors.ts';

/**
 * The value that a body holds; undefined for an empty one.
 * @throws ApiError COULD_NOT_PARSE_BODY for anything but JSON nested at most `depthMax` deep.
 */
export function parseJson(body: Buffer, depthMax: number): unknown {
  if (body.length === 0) return undefined;
  refuseDepth(body, depthMax);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'is not JSON';
    throw notParsed(reason.replace(/["'].*$/s, '').slice(0, 80));
  }
}

/** Counts brackets outside of strings before anything recursive sees the text. */
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
