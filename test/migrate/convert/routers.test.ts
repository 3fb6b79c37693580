// Routers of the peer: edge routers, transit routers, and those of the fabric API.

import t from 'tap';
import {
  entity,
  flag,
  int,
  list,
  long,
  map,
  nil,
  type PeerValues,
  set,
  text,
} from '../peer/database.ts';
import { converted, identity, remarksOn, reportOn } from './converted.ts';

const router = (name: string, fields: PeerValues = {}) =>
  entity({
    name: text(name),
    fingerprint: text('44B1'),
    cost: int(11),
    noTraversal: flag(true),
    disabled: flag(true),
    configs: set([]),
    ctrlChanListeners: map({}),
    interfaces: map({}),
    ...fields,
  });

const edge = (fields: PeerValues = {}) =>
  map({
    isVerified: flag(true),
    certPem: text('PEM'),
    unverifiedCertPem: nil(),
    unverifiedFingerprint: nil(),
    roleAttributes: set(['public']),
    isTunnelerEnabled: flag(false),
    appData: map({ site: text('north') }),
    version: text('v1'),
    capabilitiesMask: long(0),
    enrollments: set(['x']),
    identities: set(['me']),
    services: set(['printer']),
    ...fields,
  });

t.test('an edge router', (t) => {
  const kinds = {
    configTypes: { type: entity({ name: text('type'), target: text('router') }) },
    configs: { one: entity({ name: text('one'), type: text('type'), data: map({}) }) },
    identities: { a: identity('a', { type: text('Router') }) },
    routers: {
      a: router('a', {
        edge: edge({
          isTunnelerEnabled: flag(true),
          unverifiedCertPem: text('NEXT'),
          unverifiedFingerprint: text('AB'),
        }),
        configs: set(['one']),
        ctrlChanListeners: map({ 'tls:a:1': list([text('default'), text('far')]) }),
        interfaces: map({ eth0: map({ name: text('eth0') }) }),
        terminators: set(['t']),
      }),
    },
  };
  const { record, report } = converted({ kinds });
  t.match(record('router', 'a'), {
    name: 'a',
    isEdge: true,
    state: 'verified',
    fingerprint: '44b1',
    certPem: 'PEM',
    unverifiedFingerprint: 'ab',
    unverifiedCertPem: 'NEXT',
    cost: 11,
    noTraversal: true,
    disabled: true,
    configs: ['one'],
    ctrlChanListeners: { 'tls:a:1': ['default', 'far'] },
    roleAttributes: ['public'],
    isTunnelerEnabled: true,
    appData: { site: 'north' },
  });
  const { droppedFields, unknownFields, changed } = reportOn({ report }, 'routers');
  t.same(
    { droppedFields, unknownFields, changed },
    { droppedFields: { interfaces: 1 }, unknownFields: {}, changed: 0 },
  );
  t.end();
});

t.test('routers without a bucket for edge', (t) => {
  const transit = (fields: PeerValues) => map({ enrollments: set([]), ...fields });
  const { record, report } = converted({
    kinds: {
      routers: {
        a: router('a', { transitRouter: transit({ isVerified: flag(true) }) }),
        b: router('b', {
          transitRouter: transit({ isVerified: flag(false) }),
          fingerprint: nil(),
        }),
        c: router('c'),
        d: router('d', { fingerprint: nil() }),
      },
    },
  });
  t.match(record('router', 'a'), { isEdge: false, state: 'verified', fingerprint: '44b1' });
  t.match(record('router', 'b'), { isEdge: false, state: 'unverified', fingerprint: undefined });
  t.match(record('router', 'c'), { isEdge: false, state: 'verified', certPem: undefined });
  t.match(record('router', 'd'), { isEdge: false, state: 'unverified' });
  t.same(remarksOn({ report }, 'routers', 'changed'), []);
  t.end();
});

t.test('what does not go together', (t) => {
  const { record, report } = converted({
    kinds: {
      routers: {
        a: router('a', { edge: edge(), fingerprint: nil() }),
        b: router('b', { edge: edge({ isVerified: flag(false) }) }),
        c: router('c', { edge: edge({ unverifiedCertPem: text('NEXT') }) }),
        d: router('d', { edge: edge({ isTunnelerEnabled: flag(true) }) }),
        e: router('e', {
          edge: edge({ newField: text('x') }),
          ctrlChanListeners: map({ 'tls:a:1': text('default') }),
        }),
      },
    },
  });
  t.match(record('router', 'a'), { state: 'unverified', certPem: undefined });
  t.match(record('router', 'b'), { state: 'unverified', fingerprint: undefined });
  t.match(record('router', 'c'), { state: 'verified', unverifiedCertPem: undefined });
  t.match(record('router', 'd'), { isTunnelerEnabled: false });
  t.match(record('router', 'e'), { ctrlChanListeners: { 'tls:a:1': [] } });
  t.same(remarksOn({ report }, 'routers', 'changed'), [
    'a: It has no fingerprint, counts as unverified, and has to enroll again.',
    'b: It is not verified, and its certificate is dropped.',
    'c: Half of its unverified certificate is missing, and the other half is dropped.',
    'd: Its tunneler has no identity, and is switched off.',
    'e: An entry of ctrlChanListeners has no list of groups, and gets an empty one.',
  ]);
  t.same(reportOn({ report }, 'routers').unknownFields, { 'edge.newField': 1 });
  t.end();
});
