// Databases of the peer with bytes changed: each value is read, or refused with a sentence.

import t from 'tap';
import { openBolt } from '../../../src/migrate/bolt/bolt-file.ts';
import type { PeerFields } from '../../../src/migrate/peer/entity.ts';
import { readNetwork } from '../../../src/migrate/peer/network.ts';
import { SourceDamaged } from '../../../src/migrate/source-problem.ts';
import { campaignSeed, isNightly } from '../../campaigns.ts';
import { MemoryFile } from '../bolt/memory-file.ts';
import { MutatedFiles } from '../bolt/mutated-files.ts';
import * as peer from './database.ts';

t.setTimeout(600_000);

// Most of the time would otherwise go into the stacks of errors; the seed repeats a failure.
const { stackTraceLimit } = Error;
Error.stackTraceLimit = 0;
t.teardown(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

const identity = peer.entity({
  name: peer.text('änne'),
  isAdmin: peer.flag(true),
  cost: peer.int(7),
  big: peer.long(-9),
  tags: peer.json({ a: [1, [2], { b: null }], c: 'text', d: true }),
  roleAttributes: peer.set(['a', 'b']),
  list: peer.list([peer.text('x'), peer.text('y')]),
  peerData: peer.map({ four: peer.raw('raw') }),
  edge: peer.map({ more: peer.map({ name: peer.text('deep') }) }),
});
const sound = peer.database({
  kinds: {
    identities: Object.fromEntries(Array.from({ length: 3 }, (_, n) => [`id${n}`, identity])),
    services: { s1: identity, s2: peer.entity({}) },
  },
  layout: { pageSize: 1024, freePageEvery: 5 },
});

/** What a task reads; undefined if it is refused with a sentence. */
function readOr<R>(task: () => R): R | undefined {
  try {
    return task();
  } catch (error) {
    if (error instanceof SourceDamaged && /^[A-Za-z].*\.$/s.test(error.message)) return undefined;
    throw error;
  }
}

/** Reads each field in every way; the count of those that can be read. */
function readFields(fields: PeerFields): number {
  let count = 0;
  for (const name of fields.names()) {
    const results = [
      readOr(() => fields.text(name)),
      readOr(() => fields.flag(name)),
      readOr(() => fields.integer(name)),
      readOr(() => fields.time(name)),
      readOr(() => fields.bytes(name)),
      readOr(() => fields.numbered(name)),
      readOr(() => fields.set(name)),
      readOr(() => JSON.stringify(fields.map(name))),
      readOr(() => JSON.stringify(fields.list(name))),
    ];
    count += results.filter((result) => result !== undefined).length;
    const below = readOr(() => fields.below(name));
    if (below !== undefined) count += readFields(below);
  }
  fields.unread();
  return count;
}

function readAll(file: MemoryFile): number {
  const network = readNetwork(openBolt(file).root);
  let count = 0;
  for (const kind of network.kinds) {
    readOr(() => {
      for (const entity of network.entities(kind)) count += readFields(entity);
    });
    const fields = readOr(() => network.fields(kind));
    if (fields !== undefined) count += readFields(fields);
  }
  return count;
}

t.test('mutated databases are read or refused', async (t) => {
  const mutated = new MutatedFiles(campaignSeed('PROPERTY_SEED'), 1024);
  const all = readAll(new MemoryFile(sound));
  const outcomes = { whole: 0, partly: 0, refused: 0 };
  for (let index = 0; index < (isNightly ? 5000 : 150); index++) {
    const file = new MemoryFile(mutated.of(sound), 50_000);
    try {
      const count = readOr(() => readAll(file));
      outcomes[count === undefined ? 'refused' : count === all ? 'whole' : 'partly']++;
    } catch (error) {
      throw new Error(mutated.replay, { cause: error });
    }
  }
  t.ok(Math.min(...Object.values(outcomes)) > 0, JSON.stringify(outcomes));
});
