// Remembered lists are updated with later writes: they have the same rows in the same order as a
// new scan.

import t from 'tap';
import { compiledFilter } from '../../src/declare/lists/list-query.ts';
import { findMatches, knownMatches } from '../../src/declare/lists/matches.ts';
import { candidatesOf } from '../../src/declare/lists/plan.ts';
import { RowList } from '../../src/declare/lists/row-list.ts';
import { StepBudget } from '../../src/filter/budget.ts';
import { type IdentityRecord, identityKind } from '../../src/records/identity.ts';
import { RecentWrites } from '../../src/store/recent-writes.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';
import { Dice } from '../system/dice.ts';

const seeds = process.env['EDGE_SEED'] ? [Number(process.env['EDGE_SEED'])] : [1, 2, 3];
const cause = { actor: 'test', requestId: 'r', operation: 'churn' };

interface Asked {
  readonly filter: string;
  readonly matches: (record: IdentityRecord) => boolean;
  readonly order: (left: IdentityRecord, right: IdentityRecord) => number;
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
        const ids = (data as unknown as readonly IdentityRecord[]).map(({ id }) => id);
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

/** Beside the others: by one kept order and back, by two keys, by one that no table keeps. */
const found: readonly Asked[] = [
  ...asked,
  {
    filter: 'not (name contains "1") sort by name',
    matches: ({ name }) => !name.includes('1'),
    order: (left, right) => bytes(left.name, right.name),
  },
  {
    filter: 'true sort by createdAt desc',
    matches: () => true,
    order: (left, right) => right.createdAt - left.createdAt || bytes(left.id, right.id),
  },
  {
    filter: 'not (name contains "2") sort by updatedAt desc, name desc',
    matches: ({ name }) => !name.includes('2'),
    order: (left, right) => right.updatedAt - left.updatedAt || bytes(right.name, left.name),
  },
];

for (const seed of seeds) {
  t.test(`seed ${seed}: found step by step while others write`, async (t) => {
    const network = await bootNetwork({ seed, freeze: false });
    const { env } = network;
    const dice = new Dice(String(seed));
    const random = (below: number) => dice.integer(0, below - 1);
    const churn = new Churn(network, random);
    churn.fill(1800);
    for (const { filter, matches, order } of found) {
      const list = listOf(network, filter);
      let steps = 0;
      for (const _ of find(list)) {
        churn.write(random(6));
        steps++;
      }
      t.ok(steps > 4, `${steps} steps: ${filter}`);
      const slots = knownMatches(list)?.slots ?? [];
      const ids = [...slots].map((slot) => env.store.table(identityKind).inSlot(slot)?.record.id);
      const wanted = churn.all().filter(matches).sort(order);
      t.ok(wanted.length > 300);
      t.equal(ids.join(), wanted.map(({ id }) => id).join(), `EDGE_SEED=${seed}: ${filter}`);
    }
    await network.stop();
  });
}

t.test('where too much is written meanwhile, nothing is remembered', async (t) => {
  const network = await bootNetwork({ freeze: false });
  const churn = new Churn(network, () => 0);
  churn.fill(600);
  const list = listOf(network, 'name contains "1"');
  const steps = find(list);
  steps.next();
  // A ring's worth and one more.
  churn.touch(4097);
  for (const _ of steps);
  t.equal(knownMatches(list), undefined);
  t.equal((await network.call('GET', 'M:/identities?filter=name+contains+"1"')).status, 200);
  for (const _ of find(list));
  t.equal(
    knownMatches(list)?.slots.length,
    churn.all().filter(({ name }) => name.includes('1')).length,
  );
  await network.stop();
});

/** The matches of identities that a filter asks for. */
function listOf({ env }: Network, text: string): RowList {
  const compiled = env.registry.at('identities');
  const query = compiledFilter(compiled.scope, { filter: text, sort: '' });
  const filter = { query, isOwn: true, characters: 1 };
  const paging = { limit: -1, offset: 0 };
  const asked = { filter, text, key: `of ${text}`, selected: undefined, paging };
  return new RowList(env, compiled, asked, { budget: new StepBudget(env.limits) });
}

function find(list: RowList): Generator<undefined> {
  return findMatches(list, candidatesOf(list, { form: 'table' }));
}

t.test('writes are remembered until the ring has no room', (t) => {
  const writes = new RecentWrites(10);
  t.equal(writes.after(9), undefined, 'nobody noted that one');
  t.same([...(writes.after(10) ?? [])], []);
  for (let revision = 11; revision <= 4106; revision++) writes.note(revision, revision % 7);
  t.equal(writes.after(10)?.size, 7);
  t.same([...(writes.after(4105) ?? [])], [4106 % 7]);
  writes.note(4107, 70);
  t.equal(writes.after(10), undefined);
  t.same([...(writes.after(4106) ?? [])], [70]);
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

  all(): IdentityRecord[] {
    const table = this.#network.env.store.table(identityKind);
    return [...table.all()].map(({ record }) => record);
  }

  /** Rows at once, so that looking at them takes some steps. */
  fill(count: number): void {
    const table = this.#network.env.store.table(identityKind);
    const [admin] = this.all();
    this.#network.env.store.transact(cause, (tx) => {
      for (let n = 0; n < count; n++) {
        const fresh = { ...admin, id: `f${n}`, name: `f${n}`, isDefaultAdmin: false };
        const times = { createdAt: this.#random(90), updatedAt: this.#random(90) };
        const roleAttributes = n % 2 === 0 ? ['even'] : ['odd'];
        tx.put(table, { ...fresh, ...times, externalId: undefined, roleAttributes } as never);
      }
    });
  }

  /** Rewrites one of them this many times. */
  touch(times: number): void {
    const table = this.#network.env.store.table(identityKind);
    const one = this.all().at(-1);
    for (let n = 0; n < times; n++) {
      this.#network.env.store.transact(cause, (tx) => {
        tx.put(table, { ...one, name: `t${n}` } as never);
      });
    }
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
    const table = this.#network.env.store.table(identityKind);
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
      tx.put(table, record);
    } else if (one.name !== 'admin' && what === 1) {
      tx.delete(table, one.id);
    } else if (one.name !== 'admin') {
      const updatedAt = one.updatedAt + this.#random(3);
      tx.put(table, { ...one, name: `m${number}`, roleAttributes, updatedAt });
    }
  }
}
