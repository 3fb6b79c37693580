// The hello of a router and its answers, against the golden frames and for both release lines.

import t from 'tap';
import { type Frame, MalformedMessage } from '../../src/channel/channel-api.ts';
import { FrameReader } from '../../src/channel/frame.ts';
import {
  capabilitiesHeader,
  headerKeys,
  textHeader,
  uint32Value,
  versionHeader,
} from '../../src/channel/headers.ts';
import {
  encodeAcceptance,
  encodeRefusal,
  parseHello,
  rejectionClasses,
} from '../../src/channel/hello.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedRandom } from '../simulated/random.ts';
import { helloBytes, type TwinOptions } from '../simulated/router-twin.ts';
import { goldenFrame } from './golden.ts';
import { ownVersion } from './harness.ts';

const own = { controllerId: 'ctrl1', version: ownVersion };
const random = new SimulatedRandom();

function frameOf(bytes: Buffer): Frame {
  const reader = new FrameReader();
  reader.push(bytes);
  const frame = reader.next();
  if (frame === undefined) throw new Error('the frame is not complete');
  return frame;
}

function helloOf(options: Omit<TwinOptions, 'clock'>): Frame {
  return frameOf(Buffer.concat(helloBytes({ ...options, clock: new SimulatedClock() })));
}

function without(frame: Frame, ...keys: readonly number[]): Frame {
  return { ...frame, headers: new Map([...frame.headers].filter(([key]) => !keys.includes(key))) };
}

t.test('the golden hello', async (t) => {
  const hello = parseHello(frameOf(goldenFrame('hello')));
  t.match(hello, {
    routerId: 'R7xQ2',
    version: { version: 'v2.1.0', revision: 'abc123', os: 'linux', arch: 'amd64' },
    group: { connectionType: 'ctrl.default', secret: undefined },
  });
  t.strictSame([...hello.capabilities], [1, 2, 4, 5, 6, 62]);
});

t.test('the golden result', async (t) => {
  const golden = goldenFrame('result');
  const hello = parseHello(frameOf(goldenFrame('hello')));
  // The golden one has a connection id of four characters and a secret that counts up.
  const drawn = [Buffer.from('k3f9', 'base64url'), Buffer.from([...Array(16).keys()])];
  const bytes = encodeAcceptance(hello, own, { bytes: () => drawn.shift() ?? Buffer.alloc(0) });
  t.strictSame(bytes, golden.subarray(0));
});

t.test('a router that comes back is sent the secret of its group', async (t) => {
  const secret = Buffer.from('0123456789abcdef');
  const { headers } = frameOf(
    encodeAcceptance(parseHello(helloOf({ id: 'r1', secret })), own, random),
  );
  t.strictSame(headers.get(headerKeys.groupSecret), secret);
  const first = frameOf(encodeAcceptance(parseHello(helloOf({ id: 'r1' })), own, random));
  const second = frameOf(encodeAcceptance(parseHello(helloOf({ id: 'r1' })), own, random));
  t.equal(first.headers.get(headerKeys.groupSecret)?.length, 16);
  for (const key of [headerKeys.groupSecret, headerKeys.connectionId]) {
    t.notSame(first.headers.get(key), second.headers.get(key), 'random each time');
  }
});

t.test('a router of the 1.x line', async (t) => {
  const linkListeners = [{ address: 'tls:r1:6000', protocol: 'tls', groups: ['default'] }];
  const hello = parseHello(helloOf({ id: 'r1', line: '1.x', linkListeners }));
  t.equal(hello.group, undefined);
  t.match(hello.linkListeners, linkListeners);
  t.ok(hello.capabilities.has(62));
  const { headers } = frameOf(encodeAcceptance(hello, own, random));
  t.strictSame([...headers.keys()], [0, 1, 2, 4, 8, 12, 1002]);
  t.strictSame([...capabilitiesHeader(headers, 12)], [1, 2, 3, 4, 6]);
  t.strictSame(versionHeader(headers, headerKeys.versionInfo), ownVersion);
});

t.test('link listeners of a 2.x hello', async (t) => {
  const linkListeners = [{ address: 'tls:r1:6000', protocol: 'tls', groups: ['default'] }];
  t.match(parseHello(helloOf({ id: 'r1', linkListeners })).linkListeners, linkListeners);
});

t.test('a refusal says why', async (t) => {
  const frame = frameOf(encodeRefusal('router r1 is disabled', rejectionClasses.notPermitted));
  t.equal(frame.body.toString(), 'router r1 is disabled');
  t.strictSame(frame.headers.get(headerKeys.resultSuccess), Buffer.of(0));
  t.strictSame(frame.headers.get(headerKeys.replyFor), Buffer.of(255, 255, 255, 255));
  t.strictSame(frame.headers.get(headerKeys.rejectionClass), uint32Value(2));
});

t.test('what is no hello is malformed', async (t) => {
  const hello = helloOf({ id: 'r1' });
  const listeners = (count: number) =>
    helloOf({
      id: 'r1',
      linkListeners: Array.from({ length: count }, () => ({ protocol: 'tls' })),
    });
  t.equal(parseHello(listeners(64)).linkListeners.length, 64);
  const header = (key: number, value: Buffer): Frame => ({
    ...hello,
    headers: new Map([...hello.headers, [key, value]]),
  });
  for (const [why, frame] of Object.entries({
    type: { ...hello, contentType: 2 },
    'no id': { ...hello, body: Buffer.alloc(0) },
    'a long id': { ...hello, body: Buffer.alloc(65, 'a') },
    'no version': without(hello, headerKeys.versionInfo),
    'a further connection of a group': without(hello, headerKeys.isFirstOfGroup),
    'a long secret': header(headerKeys.groupSecret, Buffer.alloc(65)),
    'a long type': header(headerKeys.connectionType, Buffer.alloc(65, 'a')),
    'wrong listeners': header(1000, Buffer.from([10, 200])),
    'many listeners': listeners(65),
    'wrong capabilities': header(1002, Buffer.alloc(100)),
  })) {
    t.throws(() => parseHello(frame), MalformedMessage, why);
  }
  t.equal(textHeader(hello.headers, headerKeys.connectionType), 'ctrl.default');
});
