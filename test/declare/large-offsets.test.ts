// Pages behind the first 100,000 rows, on each way to the rows of a list.

import t from 'tap';
import { wholeValues } from '../../src/declare/resources/bodies.ts';
import { type IdentityRecord, identityKind } from '../../src/records/identity.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';

const rows = 100_600;
const rowsAFrame = 1000;
const offset = 100_300;
const cause = { actor: 'test', requestId: 'test', operation: 'test' };

/** Names in their order are ids in theirs. */
const nameOf = (n: number): string => `n${String(n).padStart(6, '0')}`;

async function fill({ env, core }: Network): Promise<void> {
  const table = env.store.table(identityKind);
  const plain = wholeValues(identityKind.fields, { isAdmin: false }, undefined);
  for (let from = 0; from < rows; from += rowsAFrame) {
    env.store.transact(cause, (tx) => {
      for (let n = from; n < Math.min(rows, from + rowsAFrame); n++) {
        const base = { id: nameOf(n), createdAt: n, updatedAt: n, tags: {} };
        tx.put(table, { ...plain, ...base, name: nameOf(n) } as IdentityRecord);
      }
    });
    await core.journal.flush();
  }
}

const ways: readonly (readonly [string, string, boolean])[] = [
  ['in id order', 'filter=id contains "n"&sort=id', false],
  ['in the order of names', 'filter=id contains "n"&sort=name', false],
  ['in descending order', 'filter=id contains "n"&sort=name desc', true],
  ['by a filter that matches nearly all', 'filter=name contains "n" and name contains "0"', false],
  ['by a key that no table keeps', 'filter=id contains "n"&sort=updatedAt', false],
];

t.test('an offset over 100,000 is honoured', async (t) => {
  const network = await bootNetwork();
  await fill(network);
  for (const [way, query, isDescending] of ways) {
    const path = `M:/identities?${encodeURI(query)}&limit=2&offset=${offset}`;
    const { data, pagination } = await network.call('GET', path);
    const first = isDescending ? rows - 1 - offset : offset;
    const second = isDescending ? first - 1 : first + 1;
    t.match(data, [{ id: nameOf(first) }, { id: nameOf(second) }], way);
    t.match(pagination, { offset, limit: 2, totalCount: rows });
  }
  const last = await network.call('GET', `M:/identities?offset=${rows}&limit=-1`);
  t.match(last.pagination, { offset: rows, totalCount: rows + 1 });
  // The administrator's id comes before all others.
  t.match(last.data, [{ id: nameOf(rows - 1) }]);
});
