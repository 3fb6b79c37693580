// Ids of circuits and addresses of their ends.

import type { Random } from '../../platform/ports.ts';

/** Characters of an id: 131 bits, so that no router can guess the id of a circuit. */
const idCharacters = 22;
/** The alphabet of the ids that routers make themselves. */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const codes = Uint8Array.from(alphabet, (character) => character.charCodeAt(0));
/** The largest multiple of 62 in a byte: larger values would make some characters likelier. */
const fairBytes = 248;
/** Random bytes fetched per call: a call costs as much as several ids. */
const poolBytes = 8192;

/** Creates a source of ids of 22 characters from `0-9A-Za-z`. */
export function createCircuitIds(random: Random): () => string {
  let pool: Buffer = Buffer.alloc(0);
  let next = 0;
  const text = Buffer.alloc(idCharacters);
  return () => {
    for (let at = 0; at < idCharacters; ) {
      if (next >= pool.length) {
        pool = random.bytes(poolBytes);
        next = 0;
      }
      const byte = pool[next++] ?? fairBytes;
      if (byte < fairBytes) text[at++] = codes[byte % codes.length] ?? 0;
    }
    return text.toString('latin1');
  };
}
