// Services and terminators of the peer, in all schemas.

import t from 'tap';
import { boltBucket } from '../bolt/bolt-writer.ts';
import {
  entity,
  flag,
  int,
  long,
  map,
  nil,
  type PeerValues,
  raw,
  set,
  text,
} from '../peer/database.ts';
import { converted, edgeRouter, identity, remarksOn, reportOn, service } from './converted.ts';

const configs = {
  configTypes: { type: entity({ name: text('own.v1') }) },
  configs: { one: entity({ name: text('one'), type: text('type'), data: map({}) }) },
};

const services = {
  a: service('a', {
    terminatorStrategy: text('weighted'),
    roleAttributes: set(['z', 'a']),
    configs: set(['one']),
    maxIdleTime: long(60_000_000_001),
  }),
  b: service('b', { encryptionRequired: flag(false), terminatorStrategy: text('') }),
  c: service('c', { isFabricOnly: flag(true), terminatorStrategy: text('random') }),
};

for (const schema of [36, 37, 39, 41, 44, 47, 48, 49]) {
  t.test(`services of schema ${schema}`, (t) => {
    const { record, report } = converted({ schema, kinds: { ...configs, services } });
    t.match(record('service', 'a'), {
      name: 'a',
      terminatorStrategy: 'weighted',
      encryptionRequired: true,
      roleAttributes: ['a', 'z'],
      configs: ['one'],
      // Rounded up, so that a short time does not become none.
      maxIdleTimeMillis: 60_001,
      isFabricOnly: false,
    });
    t.match(record('service', 'b'), {
      terminatorStrategy: 'smartrouting',
      encryptionRequired: false,
      roleAttributes: undefined,
      configs: undefined,
      maxIdleTimeMillis: 0,
    });
    t.match(record('service', 'c'), {
      terminatorStrategy: 'random',
      isFabricOnly: true,
      encryptionRequired: false,
    });
    const { unknownFields, changed } = reportOn({ report }, 'services');
    t.same({ unknownFields, changed }, { unknownFields: {}, changed: 0 });
    t.end();
  });
}

t.test('an unknown strategy, a negative time, a config that is gone, a foreign bucket', (t) => {
  const { record, report } = converted({
    kinds: {
      services: {
        a: service('a', {
          terminatorStrategy: text('best'),
          maxIdleTime: long(-1),
          configs: set(['gone']),
          edge: map({ name: text('a') }),
        }),
      },
    },
  });
  t.match(record('service', 'a'), {
    terminatorStrategy: 'smartrouting',
    maxIdleTimeMillis: 0,
    configs: [],
  });
  t.same(remarksOn({ report }, 'services', 'changed'), [
    'a: Its terminator strategy "best" is not known, and becomes smartrouting.',
    'a: Its configs named the config "gone", which is not in the home: the reference is dropped, ' +
      'and nothing is left in it.',
  ]);
  t.same(reportOn({ report }, 'services').unknownFields, { edge: 1 });
  t.end();
});

const terminator = (fields: PeerValues = {}) =>
  entity({
    service: text('printer'),
    router: text('edge'),
    binding: text('transport'),
    address: text('tcp:printer:9100'),
    instanceId: text(''),
    hostId: text(''),
    cost: int(5),
    precedence: text('required'),
    savedPrecedence: nil(),
    sourceCtrl: text(''),
    ...fields,
  });

const key = (number: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
};
const terminators = {
  kinds: {
    services: { printer: service('printer') },
    identities: { host: identity('host') },
    routers: { edge: edgeRouter('edge') },
    terminators: {
      a: terminator(),
      b: terminator({
        binding: text('edge'),
        address: text('b'),
        hostId: text('host'),
        instanceId: text('desk'),
        instanceSecret: raw(Buffer.from([1, 2, 255])),
        peerData: boltBucket([
          [key(1), raw('one')],
          [key(70_000), raw('')],
        ]),
        precedence: text('default'),
        savedPrecedence: text('required'),
        sourceCtrl: text('ctrl-1'),
      }),
      c: terminator({ binding: text('tunnel'), precedence: text('failed'), cost: int(-5) }),
      d: terminator({ binding: nil(), precedence: text('best') }),
      e: terminator({ router: text('gone') }),
      f: terminator({ hostId: text('gone') }),
      g: terminator({ address: nil() }),
      h: terminator({ service: nil() }),
    },
  },
};

t.test('terminators', (t) => {
  const { record, report } = converted(terminators);
  t.match(record('terminator', 'a'), {
    service: 'printer',
    router: 'edge',
    binding: 'transport',
    address: 'tcp:printer:9100',
    cost: 5,
    precedence: 'required',
    identity: '',
    identitySecret: undefined,
    hostId: undefined,
    sessionId: undefined,
    peerData: undefined,
    isOfRouter: false,
    state: 'declared',
  });
  t.match(record('terminator', 'b'), {
    isOfRouter: true,
    state: 'hosted',
    hostId: 'host',
    identity: 'desk',
    identitySecret: 'AQL/',
    peerData: { 1: 'b25l', 70000: '' },
    precedence: 'default',
  });
  t.match(record('terminator', 'c'), { isOfRouter: true, state: 'failed', cost: 0 });
  t.match(record('terminator', 'd'), { binding: 'transport', precedence: 'default' });
  t.same(remarksOn({ report }, 'terminators', 'leftOut'), [
    'e: Its router names the router "gone", which is not in the home.',
    'f: Its hostId names the identity "gone", which is not in the home.',
    'g: It has no address.',
    'h: It names no service, or no router.',
  ]);
  t.same(remarksOn({ report }, 'terminators', 'changed'), [
    'c: The cost in cost is not within 0 and 65535, and becomes 0.',
    'd: The precedence in precedence is unknown, and becomes the default.',
  ]);
  const { droppedFields } = reportOn({ report }, 'terminators');
  t.same(droppedFields, { savedPrecedence: 1, sourceCtrl: 1 });
  t.notMatch(JSON.stringify(report), 'AQL/');
  t.end();
});
