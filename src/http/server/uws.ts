// Loads uWebSockets.js, which reads its bounds from the environment while it is loaded.

import { requestNameBytes } from '../../platform/http-exchange.ts';

/** The module; its types are those of the package. */
export type Uws = typeof import('uWebSockets.js');

/** What fronts add to a head: the PROXY header, and the name that a node gives a request. */
const addedBytes = 64 + requestNameBytes;

/** Its types leave this out. */
type SilencedUws = Uws & { _cfg(setting: 'silent'): void };

/**
 * Loads it with room for `headerBytesMax` bytes of request line and headers, and for what fronts
 * add; the library itself answers 431 to longer ones. Only the first call in a process sets the
 * bound.
 */
export async function loadUws(headerBytesMax: number): Promise<Uws> {
  // Its default of 4 KB refuses a request with several bearer tokens.
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(headerBytesMax + addedBytes);
  const uws = await import('uWebSockets.js');
  // Otherwise each answer names the library and its version in a header.
  (uws as SilencedUws)._cfg('silent');
  return uws;
}
