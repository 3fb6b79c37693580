// The first bytes of a tunnel between nodes.

import t from 'tap';
import {
  encodeTunnelPreface,
  MalformedPreface,
  type TunnelClient,
  TunnelPrefaceReader,
} from '../../src/http/front/cluster/tunnel-preface.ts';
import fc from '../properties.ts';

const limits = { certificatesMax: 4, certificatesBytesMax: 4096 };

const client: fc.Arbitrary<TunnelClient> = fc.record({
  protocol: fc.constantFrom('requests' as const, 'control' as const),
  address: fc.oneof(fc.ipV4(), fc.ipV6()),
  certificates: fc.array(
    fc.uint8Array({ minLength: 1, maxLength: 900 }).map((bytes) => Buffer.from(bytes)),
    { minLength: 1, maxLength: 4 },
  ),
});

t.test('what is written is read, however it is split, and the rest is handed out', async () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(client, cuts, fc.uint8Array({ maxLength: 40 }), (sent, sizes, tail) => {
      const bytes = Buffer.concat([encodeTunnelPreface(sent), tail]);
      const reader = new TunnelPrefaceReader(limits);
      let at = 0;
      for (let turn = 0; at < bytes.length; turn += 1) {
        const end = Math.min(bytes.length, at + (sizes[turn % sizes.length] ?? 1));
        const read = reader.take(bytes.subarray(at, end));
        at = end;
        if (read === undefined) continue;
        const after = Buffer.concat([read.rest, bytes.subarray(at)]);
        return (
          JSON.stringify(read.client) === JSON.stringify({ ...sent }) &&
          after.equals(Buffer.from(tail))
        );
      }
      return false;
    }),
  );
});

t.test('other bytes are refused, and never by another error', async () => {
  fc.assert(
    fc.property(client, fc.nat(), fc.integer({ min: 0, max: 255 }), (sent, place, value) => {
      const bytes = encodeTunnelPreface(sent);
      bytes[place % bytes.length] = value;
      try {
        new TunnelPrefaceReader(limits).take(bytes);
      } catch (thrown) {
        return thrown instanceof MalformedPreface;
      }
      return true;
    }),
  );
});

t.test('bounds hold, and what is missing is noticed', async (t) => {
  const certificate = Buffer.alloc(100);
  const take = (sent: TunnelClient) => () =>
    void new TunnelPrefaceReader(limits).take(encodeTunnelPreface(sent));
  const sent: TunnelClient = {
    protocol: 'requests',
    address: '192.0.2.1',
    certificates: [],
  };
  t.doesNotThrow(take(sent));
  t.throws(take({ ...sent, address: 'example.com' }), MalformedPreface);
  t.throws(take({ ...sent, address: '' }), MalformedPreface);
  t.throws(take({ ...sent, protocol: 'control' }), MalformedPreface);
  t.throws(take({ ...sent, certificates: Array(5).fill(certificate) }), MalformedPreface);
  t.throws(take({ ...sent, certificates: [Buffer.alloc(4097)] }), MalformedPreface);
  const reader = new TunnelPrefaceReader(limits);
  t.equal(reader.take(Buffer.from([1, 0xc0])), undefined);
  t.throws(() => reader.take(Buffer.alloc(3)), MalformedPreface, '48 KiB and one byte');
  for (const empty of ['00000000', '0000000000', '0100000002', '0100000000']) {
    const bytes = Buffer.from(`${empty}00`, 'hex');
    t.throws(() => void new TunnelPrefaceReader(limits).take(bytes), MalformedPreface, empty);
  }
});
