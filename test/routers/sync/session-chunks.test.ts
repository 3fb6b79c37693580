// API sessions in chunks, compared with a sorted list.

import t from 'tap';
import type { ApiSessionRecord } from '../../../src/records/api-session.ts';
import { tokenHash } from '../../../src/records/token-hash.ts';
import { lastIdOf, SessionChunks } from '../../../src/routers/sync/session-chunks.ts';
import { Row } from '../../../src/store/record.ts';
import * as fc from '../../properties.ts';

const record: ApiSessionRecord = {
  id: '',
  createdAt: 0,
  updatedAt: 0,
  tags: {},
  state: 'full',
  token: '',
  tokenHash: tokenHash(''),
  identityId: '',
  authenticatorId: '',
  configTypes: [],
  ipAddress: '',
  isMfaRequired: false,
  isMfaComplete: false,
  improperClientCertChain: false,
  lastActivityAt: 0,
  mfaPassedAt: undefined,
  wokenAt: undefined,
  unlockedAt: undefined,
  caId: undefined,
  secondFactorUntil: undefined,
  sdk: undefined,
  client: undefined,
  jwt: undefined,
};

function rows(count: number) {
  return Array.from({ length: count }, (_, at) => {
    const id = String(at).padStart(4, '0');
    return new Row({ ...record, id }, 0, at);
  });
}

function idsOf(chunks: SessionChunks): string[][] {
  const found: string[][] = [];
  let chunk = chunks.after('');
  while (chunk !== undefined) {
    found.push(chunk.rows.map(({ id }) => id));
    chunk = chunks.after(lastIdOf(chunk));
  }
  return found;
}

t.test('rows that come in the order of their ids fill one chunk after the other', async (t) => {
  const chunks = new SessionChunks();
  t.ok(rows(250).every((row) => chunks.add(row)));
  t.strictSame(
    idsOf(chunks).map(({ length }) => length),
    [100, 100, 50],
  );
  t.equal(chunks.size, 250);
});

t.test('half of a chunk joins a small neighbour', async (t) => {
  const chunks = new SessionChunks();
  const all = rows(202);
  const add = (from: number, to: number) => {
    for (const row of all.slice(from, to)) chunks.add(row);
  };
  const lengths = () => idsOf(chunks).map(({ length }) => length);
  add(1, 41);
  add(42, 103);
  t.strictSame(lengths(), [100, 1]);
  add(41, 42);
  t.strictSame(lengths(), [50, 52]);
  add(103, 202);
  add(0, 1);
  t.strictSame(lengths(), [51, 100, 51], 'one with room takes it');
});

t.test('a change forgets the message of its own chunk only', async (t) => {
  const chunks = new SessionChunks();
  const all = rows(200);
  for (const row of all) chunks.add(row);
  const first = chunks.after('');
  const second = chunks.after(lastIdOf(first));
  if (first === undefined || second === undefined) throw new Error('there are two chunks');
  first.body = Buffer.from('one');
  second.body = Buffer.from('two');
  const [row] = all;
  if (row !== undefined) chunks.changed(row);
  t.equal(first.body, undefined);
  t.same(second.body, Buffer.from('two'));
  chunks.forgetBodies();
  t.equal(second.body, undefined);
});

t.test('whatever comes and goes, the chunks hold it in order and are not too small', async (t) => {
  const all = rows(400);
  const step = fc.record({ at: fc.nat({ max: 399 }), adds: fc.boolean(), runs: fc.nat(60) });
  const agrees = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const chunks = new SessionChunks();
    const model = new Set<string>();
    for (const { at, adds, runs } of steps) {
      for (const row of all.slice(at, at + runs)) {
        const isNew = adds ? !model.has(row.id) : model.has(row.id);
        if ((adds ? chunks.add(row) : chunks.delete(row)) !== isNew) return false;
        if (adds) model.add(row.id);
        else model.delete(row.id);
        if (chunks.has(row) !== adds) return false;
      }
      const found = idsOf(chunks);
      if (found.flat().join() !== [...model].sort().join()) return false;
      if (chunks.size !== model.size || found.some(({ length }) => length > 100)) return false;
      const sums = found.slice(1).map(({ length }, index) => length + (found[index]?.length ?? 0));
      if (sums.some((sum) => sum < 75)) return false;
    }
    return true;
  });
  t.doesNotThrow(() => fc.assert(agrees));
});
