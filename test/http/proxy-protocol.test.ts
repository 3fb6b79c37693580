// The PROXY v2 header: what is encoded is decoded, and uWebSockets.js reads it as we mean it.

import t from 'tap';
import {
  connectionIdBytes,
  decodeProxyHeader,
  encodeProxyHeader,
  proxyHeaderBytes,
  proxySignature,
  startsWithSignature,
} from '../../src/http/proxy-protocol.ts';
import * as fc from '../properties.ts';

const ids = fc.uint8Array({ minLength: connectionIdBytes, maxLength: connectionIdBytes });
const tails = fc.uint8Array({ maxLength: 40 });

t.test('what is encoded is decoded, whatever follows', async () => {
  fc.assert(
    fc.property(ids, tails, (id, tail) => {
      const header = decodeProxyHeader(Buffer.concat([encodeProxyHeader(id), tail]));
      return header?.length === proxyHeaderBytes && header.source.equals(id);
    }),
  );
});

t.test('a header that is cut or changed before the id is none', async () => {
  fc.assert(
    fc.property(
      ids,
      fc.nat(proxyHeaderBytes - 1),
      fc.nat(15),
      fc.integer({ min: 1, max: 255 }),
      (id, length, index, change) => {
        const header = encodeProxyHeader(id);
        const changed = Buffer.from(header);
        changed[index] = (changed[index] ?? 0) ^ change;
        return (
          decodeProxyHeader(header.subarray(0, length)) === undefined &&
          decodeProxyHeader(changed) === undefined
        );
      },
    ),
  );
});

t.test('only the whole signature counts as one', async () => {
  fc.assert(
    fc.property(tails, (tail) => startsWithSignature(Buffer.concat([proxySignature, tail]))),
  );
  fc.assert(
    fc.property(tails, (tail) => {
      const bytes = Buffer.from(tail);
      return startsWithSignature(bytes) === bytes.subarray(0, 12).equals(proxySignature);
    }),
  );
});

t.test('an id of another length is refused', async (t) => {
  t.throws(() => encodeProxyHeader(new Uint8Array(15)), RangeError);
});
