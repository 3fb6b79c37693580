// The order in which tasks get a password hash, and which tasks are refused.

import t from 'tap';
import { FairQueue, type Share } from '../../src/auth/passwords/login-queue.ts';
import * as fc from '../properties.ts';

function shareOf(text: string): Share {
  const [address = '', username = ''] = text.replace('*', '').split('/');
  return { address, username, isKnown: text.endsWith('*') };
}

/** Adds waiters that are called as their share is, numbered: `a/bob 1`. A star is for "known". */
function filled(waitingMax: number, shares: readonly string[]) {
  const queue = new FairQueue<string>(waitingMax);
  const left = shares.map((text, index) => queue.add(`${text} ${index}`, shareOf(text)));
  return { queue, left: left.filter((waiter) => waiter !== undefined) };
}

function takenFrom(queue: FairQueue<string>): string[] {
  const taken: string[] = [];
  for (let waiter = queue.take(); waiter !== undefined; waiter = queue.take()) taken.push(waiter);
  return taken;
}

t.test('addresses take turns, and user names within an address', async (t) => {
  const { queue } = filled(10, ['a/x', 'a/x', 'a/y', 'a/x', 'b/x', 'b/x', 'c/z']);
  t.same(takenFrom(queue), ['a/x 0', 'b/x 4', 'c/z 6', 'a/y 2', 'b/x 5', 'a/x 1', 'a/x 3']);
  t.equal(queue.length, 0);
  t.equal(queue.take(), undefined);
});

t.test('known callers wait in a queue of their own, and the two queues take turns', async (t) => {
  const { queue } = filled(10, ['a/x', 'a/x', 'a/x', 'a/admin*', 'a/admin*']);
  t.same(takenFrom(queue), ['a/admin* 3', 'a/x 0', 'a/admin* 4', 'a/x 1', 'a/x 2']);
  const other = filled(2, ['a/x', 'a/x', 'a/x', 'a/admin*', 'b/bob*', 'a/admin*']);
  t.same(other.left, ['a/x 2', 'a/admin* 5'], 'each queue has its own bound');
});

t.test('the largest share loses its newest task, not the newcomer', async (t) => {
  t.same(filled(3, ['a/x', 'a/x', 'a/x', 'b/y']).left, ['a/x 2'], 'another address');
  t.same(filled(3, ['a/x', 'a/x', 'a/x', 'a/y']).left, ['a/x 2'], 'another name, same address');
  t.same(filled(3, ['a/x', 'b/x', 'c/x', 'd/y']).left, ['c/x 2'], 'a name from many addresses');
  t.same(filled(3, ['a/x', 'a/y', 'a/z', 'a/w']).left, ['a/w 3'], 'no share is larger');
  t.same(filled(3, ['a/x', 'b/y', 'c/z', 'd/w']).left, ['d/w 3'], 'no share is larger');
  t.same(filled(0, ['a/x']).left, ['a/x 0'], 'no room at all');
});

/** What happens to a queue: a task is added, or the next one is served. */
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.nat(5), fc.nat(3), fc.boolean()) },
    { weight: 1, arbitrary: fc.constant('take' as const) },
  ),
  { maxLength: 200, size: 'max' },
);

interface QueuedTask extends Share {
  readonly number: number;
  /** Of those served since it came: addresses of its queue, and how many of the other queue. */
  readonly addressesServed: string[];
  othersServed: number;
}

/** The waiters as a plain list, beside the queue. */
class Model {
  readonly queue: FairQueue<QueuedTask>;
  readonly #waitingMax: number;
  readonly waiting = new Set<QueuedTask>();
  #number = 0;

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
    this.queue = new FairQueue(waitingMax);
  }

  queued(isKnown: boolean): QueuedTask[] {
    return [...this.waiting].filter((one) => one.isKnown === isKnown);
  }

  add(share: Share): void {
    const before = this.queued(share.isKnown);
    const newcomer = { ...share, number: this.#number++, addressesServed: [], othersServed: 0 };
    this.waiting.add(newcomer);
    const left = this.queue.add(newcomer, share);
    if ((left !== undefined) !== before.length >= this.#waitingMax) throw new Error('the bound');
    if (left === undefined) return;
    if (!this.waiting.delete(left)) throw new Error('left without having waited');
    const all = [...before, newcomer];
    const sizeOf = (address: string) => all.filter((one) => one.address === address).length;
    const largest = Math.max(...all.map(({ address }) => sizeOf(address)));
    if (sizeOf(left.address) < largest) throw new Error('a smaller share was turned away');
  }

  take(): void {
    const served = this.queue.take();
    if (served === undefined) {
      if (this.waiting.size > 0) throw new Error('nobody is served');
      return;
    }
    if (!this.waiting.delete(served)) throw new Error('served without having waited');
    this.#checkTurns(served);
    for (const one of this.waiting) {
      if (one.isKnown === served.isKnown) one.addressesServed.push(served.address);
      else one.othersServed += 1;
    }
  }

  /** Nobody waits for more than a turn of each other address, for each turn of its own. */
  #checkTurns({ address, addressesServed, othersServed }: QueuedTask): void {
    const turns = addressesServed.filter((one) => one === address).length + 1;
    for (const other of new Set(addressesServed)) {
      const served = addressesServed.filter((one) => one === other).length;
      if (served > turns) throw new Error(`${other} had ${served} turns, ${address} ${turns}`);
    }
    if (othersServed > addressesServed.length + 1) throw new Error('the other queue went first');
  }
}

t.test('nobody starves, and the bound holds', async (t) => {
  fc.assert(
    fc.property(fc.nat(12), steps, (waitingMax, all) => {
      const model = new Model(waitingMax);
      for (const step of all) {
        if (step === 'take') model.take();
        else {
          const [address, username, isKnown] = step;
          model.add({ address: `a${address}`, username: `u${username}`, isKnown });
        }
        if (model.queue.length !== model.waiting.size) throw new Error('the length');
      }
      while (model.waiting.size > 0) model.take();
    }),
    { numRuns: 500 },
  );
  t.pass('500 sequences');
});
