// What lists remember is brought up to date by what was written since: the same rows in the same
// order as if all were looked at anew.

import t from 'tap';
import { RecentWrites } from '../../src/store/recent-writes.ts';
import type { RecordBase } from '../../src/store/record.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';
import { Dice } from '../system/dice.ts';

interface Identity extends RecordBase {
  readonly name: string;
  readonly roleAttributes: readonly string[];
}

const seeds = process.env['EDGE_SEED'] ? [Number(process.env['EDGE_SEED'])] : [1, 2, 3];
const cause = { actor: 'test', requestId: 'r', operation: 'churn' };

interface Asked {
  readonly filter: string;
  readonly matches: (record: Identity) => boolean;
  readonly order: (left: Identity, right: Identity) => number;
}

const bytes = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);
const asked: readonly Asked[] = [
  {
    filter: 'anyOf(roleAttributes) = "even"',
    matches: ({ roleAttributes }) => roleAttributes.includes('even'),
    order: (left, right) => bytes(left.id, right.id),
  },
  {
    filter: 'name contains "3" sort by name desc',
    matches: ({ name }) => name.includes('3'),
    order: (left, right) => bytes(right.name, left.name),
  },
  {
    filter: 'not (name contains "1") sort by updatedAt desc',
    matches: ({ name }) => !name.includes('1'),
    order: (left, right) => right.updatedAt - left.updatedAt || bytes(left.id, right.id),
  },
];

for (const seed of seeds) {
  t.test(`seed ${seed}: through writes, one by one and many at once`, async (t) => {
    const network = await bootNetwork({ seed });
    const dice = new Dice(String(seed));
    const random = (below: number) => dice.integer(0, below - 1);
    const churn = new Churn(network, random);
    churn.write(150);
    for (let round = 0; round < 60; round++) {
      for (const { filter, matches, order } of asked) {
        const query = new URLSearchParams({ filter, limit: '500' });
        const { data } = await network.call('GET', `M:/identities?${query}`);
        const ids = (data as unknown as readonly RecordBase[]).map(({ id }) => id);
        const wanted = churn.all().filter(matches).sort(order);
        const isSame = ids.join() === wanted.map(({ id }) => id).join();
        if (!isSame) t.same(ids, wanted, `EDGE_SEED=${seed}, round ${round}: ${filter}`);
      }
      churn.write(1 + random(random(4) === 0 ? 40 : 4));
    }
    t.pass('the same');
    await network.stop();
  });
}

t.test('writes are remembered until the ring has no room', (t) => {
  const writes = new RecentWrites(10);
  t.equal(writes.after(9), undefined, 'nobody noted that one');
  t.same([...(writes.after(10) ?? [])], []);
  for (let lsn = 11; lsn <= 1034; lsn++) writes.note(lsn, lsn % 7);
  t.equal(writes.after(10)?.size, 7);
  t.same([...(writes.after(1033) ?? [])], [1034 % 7]);
  writes.note(1035, 70);
  t.equal(writes.after(10), undefined);
  t.same([...(writes.after(1034) ?? [])], [70]);
  t.equal(writes.after(11)?.has(70), true);
  t.end();
});

/** Identities that come, change and go. */
class Churn {
  readonly #network: Network;
  readonly #random: (below: number) => number;
  #made = 0;

  constructor(network: Network, random: (below: number) => number) {
    this.#network = network;
    this.#random = random;
  }

  all(): Identity[] {
    const table = this.#network.env.store.table<Identity>('identity');
    return [...table.all()].map(({ record }) => record);
  }

  write(count: number): void {
    const { store } = this.#network.env;
    for (let n = 0; n < count; n++) {
      const isTakenBack = this.#random(5) === 0;
      try {
        store.transact(cause, (tx) => {
          this.#change(tx);
          if (isTakenBack) throw new Error('taken back');
        });
      } catch (error) {
        if (!isTakenBack) throw error;
      }
    }
  }

  #change(tx: Parameters<Parameters<Network['env']['store']['transact']>[1]>[0]): void {
    const table = this.#network.env.store.table<Identity>('identity');
    const all = this.all();
    const [admin] = all;
    const one = all[this.#random(all.length)];
    if (admin === undefined || one === undefined) return;
    const number = this.#made++;
    const roleAttributes = this.#random(2) === 0 ? ['even'] : ['odd'];
    const what = all.length < 50 ? 0 : this.#random(3);
    if (what === 0) {
      const fresh = { ...admin, id: `i${this.#random(1e9)}`, isDefaultAdmin: false };
      const record = { ...fresh, name: `n${number}`, externalId: undefined, roleAttributes };
      tx.put(table as never, record as never);
    } else if (one.name !== 'admin' && what === 1) {
      tx.delete(table as never, one.id);
    } else if (one.name !== 'admin') {
      const updatedAt = one.updatedAt + this.#random(3);
      tx.put(table as never, { ...one, name: `m${number}`, roleAttributes, updatedAt } as never);
    }
  }
}
