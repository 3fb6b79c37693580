// Messages of the control channel: golden bytes, round trips, bounds.

import t from 'tap';
import { MalformedMessage } from '../../src/channel/channel-api.ts';
import {
  decodeMessage,
  decodeParts,
  edge,
  encodeMessage,
  fabric,
} from '../../src/channel/messages/messages.ts';

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
  const request = decodeMessage(edge.CreateTerminatorV2Request, Buffer.alloc(0));
  t.ok(Buffer.isBuffer(request.instanceSecret));
  t.equal(request.instanceSecret.length, 0);
  t.equal(request.precedence, edge.TerminatorPrecedence.DEFAULT);
  t.same(request.peerData, {});
  t.equal(decodeMessage(edge.ConnectDetails, Buffer.alloc(0)).connectTime, 0);
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

t.test('a record has at most 10,000 fields', async (t) => {
  const links = (count: number) => Buffer.alloc(2 * count, Buffer.of(10, 0));
  t.equal(decodeMessage(fabric.RouterLinks, links(10_000)).links?.length, 10_000);
  t.throws(() => decodeMessage(fabric.RouterLinks, links(10_001)), MalformedMessage);
});

t.test('a message of any number of records is read in parts', async (t) => {
  const events = Array.from({ length: 20_000 }, (_, at) => ({
    identityId: `identity-${at}`,
    isConnected: at % 2 === 0,
    connectTimes: [{ connectTime: at, srcAddr: 'tcp:192.0.2.1:1', dstAddr: 'tcp:192.0.2.2:2' }],
  }));
  const body = encodeMessage(edge.ConnectEvents, { events, fullState: true });
  const parts = [...decodeParts(edge.ConnectEvents, body)];
  const longest = Math.max(...parts.map((part) => part.events.length));
  t.ok(longest < 100, `${longest} events in one part`);
  const ids = parts.flatMap((part) => part.events.map(({ identityId }) => identityId));
  t.same(
    ids,
    events.map(({ identityId }) => identityId),
  );
  t.same(parts.map(({ fullState }) => fullState).filter(Boolean), [true], 'it says it once');
  t.same([...decodeParts(edge.ConnectEvents, Buffer.alloc(0))], []);
  const states = Object.fromEntries(
    Array.from({ length: 1000 }, (_, at) => [`t${at}`, { valid: true, marker: at }]),
  );
  const answer = encodeMessage(fabric.ValidateTerminatorsV2Response, { states });
  const read = [...decodeParts(fabric.ValidateTerminatorsV2Response, answer)];
  t.ok(read.length > 1);
  t.same(Object.assign({}, ...read.map((part) => part.states)), states, 'entries of maps, too');
});

t.test('parts that cannot be read', async (t) => {
  const whole = encodeMessage(edge.ApiSessionHeartbeat, { tokens: ['abcdef'] });
  const record = Buffer.alloc(20_002, Buffer.of(16, 1));
  const giant = Buffer.concat([Buffer.from([0x0a, 0xa2, 0x9c, 0x01]), record]);
  const group = Buffer.from([0x7b, 0x08, 0x01, 0x7c]);
  for (const body of [whole.subarray(0, -1), Buffer.of(0xff), giant, group]) {
    const type = body === giant ? edge.ConnectEvents : edge.ApiSessionHeartbeat;
    t.throws(() => [...decodeParts<object>(type, body)], MalformedMessage);
  }
  const long = Buffer.concat([Buffer.alloc(8000, whole), group]);
  const first = decodeParts(edge.ApiSessionHeartbeat, long);
  t.equal(first.next().done, false, 'what comes before is read');
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
