// Messages of the control channel: golden bytes, round trips, bounds.

import t from 'tap';
import { MalformedMessage } from '../../src/channel/contract.ts';
import { decodeMessage, edge, encodeMessage, fabric } from '../../src/channel/messages/messages.ts';

t.test('a route as it is on the wire', async (t) => {
  const bytes = encodeMessage(fabric.Route, {
    circuitId: 'c1',
    attempt: 1,
    egress: { binding: 'edge', address: 'e', destination: 't', peerData: { 1003: Buffer.of(7) } },
    forwards: [{ srcAddress: 'i', dstAddress: 'e', dstType: fabric.DestType.END }],
    timeout: 10_000_000_000,
    tags: { serviceId: 's' },
  });
  const hex = [
    '0a02 6331 1001', // circuitId, attempt
    '1a14 0a04 65646765 1201 65 1a01 74 2206 08eb07 1201 07', // egress
    '2208 0a01 69 1201 65 1801', // forward
    '30 80c8afa025', // timeout
    '3a0e 0a09 736572766963654964 1201 73', // tags
  ];
  t.equal(bytes.toString('hex'), hex.join('').replaceAll(' ', ''));
  t.match(decodeMessage(fabric.Route, bytes), {
    circuitId: 'c1',
    egress: { peerData: { 1003: Buffer.of(7) } },
    timeout: 10_000_000_000,
  });
});

t.test('values that are absent have their defaults', async (t) => {
  const hello = decodeMessage(edge.ClientHello, Buffer.alloc(0));
  t.equal(hello.hostname, '');
  t.equal(decodeMessage(fabric.RouterLinks, Buffer.alloc(0)).fullRefresh, false);
});

t.test('fields that are not known are skipped', async (t) => {
  const bytes = Buffer.concat([
    Buffer.from('7801', 'hex'),
    encodeMessage(fabric.Unroute, { circuitId: 'c1', now: true }),
    Buffer.from('fa0102aabb', 'hex'),
  ]);
  t.match(decodeMessage(fabric.Unroute, bytes), { circuitId: 'c1', now: true });
});

t.test('a message that is cut off is malformed', async (t) => {
  const bytes = encodeMessage(edge.ApiSessionHeartbeat, { tokens: ['abcdef'] });
  for (let length = 1; length < bytes.length; length++) {
    const read = () => decodeMessage(edge.ApiSessionHeartbeat, bytes.subarray(0, length));
    t.throws(read, MalformedMessage);
  }
});

t.test('a message has at most 200,000 fields', async (t) => {
  const links = (count: number) => Buffer.alloc(2 * count, Buffer.of(10, 0));
  t.equal(decodeMessage(fabric.RouterLinks, links(200_000)).links?.length, 200_000);
  t.throws(() => decodeMessage(fabric.RouterLinks, links(200_001)), MalformedMessage);
});

t.test('groups that are nested too deep are malformed', async (t) => {
  const groups = Buffer.concat([Buffer.alloc(1000, 0x7b), Buffer.alloc(1000, 0x7c)]);
  t.throws(() => decodeMessage(fabric.RouterLinks, groups), MalformedMessage);
});

t.test('keys of maps are data', async (t) => {
  const states = { constructor: { valid: true } };
  const bytes = encodeMessage(fabric.ValidateTerminatorsV2Response, { states });
  const named = Buffer.from(
    bytes.toString('latin1').replace('constructor', '__proto__\0\0'),
    'latin1',
  );
  for (const message of [bytes, named]) {
    const read = decodeMessage(fabric.ValidateTerminatorsV2Response, message);
    t.equal(Object.keys(read.states ?? {}).length, 1);
    t.equal(({} as { valid?: boolean }).valid, undefined);
  }
});
