// How a server's configuration of a stream differs from what it has to be.

import t from 'tap';
import {
  differences,
  logConfiguration,
  logDifferences,
  logFault,
  membersConfiguration,
  snapshotsConfiguration,
} from '../../../src/cluster/nats/configuration.ts';
import { dataSetOfLog, logStream } from '../../../src/cluster/nats/names.ts';
import { syncFaults } from '../../../src/cluster/nats/sync-always.ts';

const dataSet = { dataSetId: '0123456789abcdef0123456789abcdef', generation: 3 };
const wanted = logConfiguration(dataSet, { replicas: 3 });
const name = 'EDGE_0123456789abcdef0123456789abcdef_3';

t.test('a configuration is the same as itself, with what servers add', (t) => {
  t.same(differences(wanted, wanted), []);
  const added = {
    ...wanted,
    metadata: { '_nats.ver': '2.15.1' },
    consumer_limits: {},
    placement: { cluster: 'edge' },
    allow_msg_ttl: false,
    persist_mode: 'default',
    sources: [],
  };
  t.same(differences(wanted, added), []);
  t.end();
});

t.test('each field that differs is one sentence', (t) => {
  const actual = { ...wanted, num_replicas: 1, allow_direct: true, subjects: ['>'] };
  t.same(differences(wanted, actual), [
    `Stream ${name}: allow_direct is true, and has to be false.`,
    `Stream ${name}: num_replicas is 1, and has to be 3, ` +
      'as cluster.replicas says: set that to 1 on all nodes, or change the stream.',
    `Stream ${name}: subjects is [">"], and has to be ` +
      '["edge.0123456789abcdef0123456789abcdef.3.log"].',
  ]);
  t.end();
});

t.test('all that makes a log unsafe fits one line', (t) => {
  t.equal(logFault(dataSet, { replicas: 3 }, wanted), undefined);
  const changes = { num_replicas: 1, max_age: 5, allow_direct: true };
  t.equal(
    logFault(dataSet, { replicas: 3 }, { ...wanted, ...changes }),
    `the stream ${name} is not configured safely: ` +
      'max_age is 5 and has to be 0, num_replicas is 1 and has to be 3',
  );
  t.end();
});

t.test('only fields on which the log rests keep a node from leading', (t) => {
  const faultOf = (field: string, value: unknown) =>
    logFault(dataSet, { replicas: 3 }, { ...wanted, [field]: value });
  const unsafe = {
    retention: 'workqueue',
    storage: 'memory',
    subjects: ['>'],
    num_replicas: 1,
    max_bytes: 1,
    max_msgs: 1,
    max_age: 1,
    max_msgs_per_subject: 1,
    max_msg_size: 1024,
    deny_delete: false,
    allow_rollup_hdrs: true,
    allow_msg_ttl: true,
    sealed: true,
    no_ack: true,
    mirror: { name: 'x' },
    sources: [{ name: 'x' }],
    subject_transform: { src: '>', dest: 'x' },
    persist_mode: 'async',
  };
  for (const [field, value] of Object.entries(unsafe)) {
    t.match(faultOf(field, value), `not configured safely: ${field} is `);
    const [sentence] = logDifferences(wanted, { ...wanted, [field]: value });
    t.match(sentence, /\. Until then no node begins to lead\.$/);
  }
  const harmless = {
    allow_direct: true,
    num_replicas: 5,
    discard: 'new',
    compression: 's2',
    republish: { src: '>', dest: 'x' },
    something_of_later_servers: 1,
  };
  for (const [field, value] of Object.entries(harmless)) {
    t.equal(faultOf(field, value), undefined, field);
    const [sentence, ...others] = logDifferences(wanted, { ...wanted, [field]: value });
    t.match(sentence, new RegExp(`: ${field} is .* The nodes follow, relay and lead nevertheless`));
    t.same(others, []);
  }
  const hindering = {
    max_consumers: [1, 'The nodes lead nevertheless, but some may find no way to follow.'],
    deny_purge: [true, 'The nodes lead nevertheless, but the log grows until NATS is full.'],
  };
  for (const [field, [value, consequence]] of Object.entries(hindering)) {
    t.equal(faultOf(field, value), undefined, field);
    const [sentence, ...others] = logDifferences(wanted, { ...wanted, [field]: value });
    t.match(sentence, `: ${field} is `);
    t.ok(sentence?.endsWith(`. ${consequence}`), field);
    t.same(others, []);
  }
  t.end();
});

t.test('nothing of what would lose or replace messages goes unseen', (t) => {
  const changes = {
    retention: 'workqueue',
    storage: 'memory',
    max_bytes: 1,
    max_msgs: 1,
    max_age: 1,
    max_msg_size: 1,
    max_msgs_per_subject: 1,
    discard: 'new',
    deny_delete: false,
    deny_purge: true,
    allow_rollup_hdrs: true,
    allow_msg_ttl: true,
    allow_direct: true,
    sealed: true,
    no_ack: true,
    mirror: { name: 'x' },
    sources: [{ name: 'x' }],
    republish: { src: '>', dest: 'x' },
    subject_transform: { src: '>', dest: 'x' },
    persist_mode: 'async',
    something_of_later_servers: 1,
  };
  for (const [field, value] of Object.entries(changes)) {
    const found = differences(wanted, { ...wanted, [field]: value });
    t.equal(found.length, 1);
    t.match(found[0], `: ${field} is `);
  }
  const { deny_delete: _, ...without } = wanted;
  t.match(differences(wanted, without), [/deny_delete is absent, and has to be true/]);
  t.end();
});

t.test('the other streams have names that clients of NATS know', (t) => {
  const members = membersConfiguration(dataSet, { replicas: 1 });
  t.equal(members.name, `KV_${name}_members`);
  const snapshots = snapshotsConfiguration(dataSet, { replicas: 1 });
  t.equal(snapshots.name, `OBJ_${name}_snapshots`);
  t.end();
});

t.test('a stream is known as a log by its name', (t) => {
  t.same(dataSetOfLog(logStream(dataSet)), dataSet);
  for (const other of [`${name}x`, 'EDGE_a_1', `KV_${name}_members`, name.replace('_3', '_0')]) {
    t.equal(dataSetOfLog(other), undefined);
  }
  t.end();
});

t.test('what a server says about syncing is read with care', async (t) => {
  const at = { host: '127.0.0.1', port: 8222 };
  const asked: string[] = [];
  const faultsOf = (status: number, text: string) =>
    syncFaults(
      async (url, bounds) => {
        asked.push(`${url} ${bounds.redirectsMax}`);
        return { status, headers: new Map<string, string>(), body: Buffer.from(text) };
      },
      [at],
    );
  // As nats-server 2.15.1 answers, shortened.
  const config = { sync_interval: 120e9, sync_always: true, strict: true };
  t.same(await faultsOf(200, JSON.stringify({ memory: 0, config, limits: {} })), []);
  t.same(asked, ['http://127.0.0.1:8222/jsz?config=true 0']);
  t.match(await faultsOf(200, '{"config":{"sync_interval":120000000000}}'), [
    /^The NATS server with the monitoring port 127\.0\.0\.1:8222 lacks sync_interval: always,/,
  ]);
  const unseen: readonly (readonly [number, string, RegExp])[] = [
    [200, '{}', /its answer does not tell/],
    [200, 'null', /its answer does not tell/],
    [200, '{"config":null}', /its answer does not tell/],
    [404, '{}', /it answers with status 404/],
    [200, 'no JSON', /not valid JSON/],
  ];
  for (const [status, text, why] of unseen) {
    const [fault, ...others] = await faultsOf(status, text);
    t.match(fault, /^The monitoring port 127\.0\.0\.1:8222 of a NATS server does not show /);
    t.match(fault, why);
    t.same(others, []);
  }
  const refusing = () => Promise.reject(new Error('There was no whole answer within 3000 ms.'));
  t.match(await syncFaults(refusing, [at, at]), [/within 3000 ms\)/, /within 3000 ms\)/]);
  t.same(await syncFaults(refusing, []), []);
});
