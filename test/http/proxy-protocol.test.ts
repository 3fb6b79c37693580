// The PROXY v2 header that a TLS worker sends, byte by byte; the tests of the server behind the
// front show that uWebSockets.js reads it as intended.

import t from 'tap';
import { encodeProxyHeader } from '../../src/http/front/proxy-protocol.ts';
import * as fc from '../properties.ts';

const ids = fc.uint8Array({ minLength: 16, maxLength: 16 });

t.test('a header holds the id as its source address, and nothing else of its own', async () => {
  fc.assert(
    fc.property(ids, (id) => {
      const fixed = Buffer.from('0d0a0d0a000d0a515549540a21210024', 'hex');
      return encodeProxyHeader(id).equals(Buffer.concat([fixed, id, Buffer.alloc(20)]));
    }),
  );
});

t.test('an id of another length is refused', async (t) => {
  t.throws(() => encodeProxyHeader(new Uint8Array(15)), RangeError);
  t.throws(() => encodeProxyHeader(new Uint8Array(17)), RangeError);
});
