// Which connection makes room for a new one: simulated clients and time.

import assert from 'node:assert/strict';
import t from 'tap';
import {
  ConnectionCapacity,
  type Seat,
  sessionKeptMs,
} from '../../src/http/front/connection-capacity.ts';
import * as fc from '../properties.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { frontLimits } from './harness.ts';

/** A connection whose handshake is done. */
class Client {
  readonly name: string;
  readonly seat: Seat;
  active = true;
  awaitsAnswer = false;
  isSessionUsed = false;
  readonly #displaced: (client: Client) => void;

  constructor(room: Room, name: string, address: string) {
    this.name = name;
    this.#displaced = (client) => room.displaced.push(client.name);
    this.seat = room.room.take(address, () => {
      room.room.leave(this.seat);
      this.closeFor();
    });
    room.room.settle(this.seat, this);
  }

  takeSessionUse(): boolean {
    const isUsed = this.isSessionUsed;
    this.isSessionUsed = false;
    return isUsed;
  }

  closeFor(): void {
    this.#displaced(this);
  }
}

/** A room, and what was displaced from it. */
class Room {
  readonly clock = new SimulatedClock();
  readonly displaced: string[] = [];
  readonly room: ConnectionCapacity;
  readonly #clients = new Set<Client>();

  constructor(connectionsMax: number, connectionsPerAddressMax = connectionsMax) {
    const limits = { ...frontLimits, connectionsMax, connectionsPerAddressMax };
    this.room = new ConnectionCapacity({ limits, clock: this.clock });
  }

  /** A connection of an address, or why there is none. */
  enter(name: string, address: string): Client | string {
    const refusal = this.room.admit(address);
    if (refusal !== undefined) return refusal;
    const client = new Client(this, name, address);
    this.#clients.add(client);
    return client;
  }

  /** A connection that must find room. */
  client(name: string, address: string): Client {
    const client = this.enter(name, address);
    if (typeof client === 'string') throw new Error(client);
    return client;
  }

  /** A second goes by, and a worker sweeps. */
  second(): void {
    this.clock.advance(1000);
    this.room.sweep();
    for (const client of this.#clients) client.active = false;
  }
}

t.test('the connection that was unused longest of the address with most makes room', async (t) => {
  const room = new Room(6);
  const [first] = ['a1', 'a2', 'a3'].map((name) => room.client(name, 'a'));
  for (const name of ['b1', 'b2']) room.client(name, 'b');
  room.client('c1', 'c');
  t.same(room.displaced, [], 'nobody makes room while there is some');
  room.second();
  if (first !== undefined) first.active = true;
  room.second();
  room.client('d1', 'd');
  t.same(room.displaced, ['a2']);
  room.client('c2', 'c');
  // Three addresses have two each: the one whose connections were used first.
  t.same(room.displaced, ['a2', 'b1']);
  room.client('a4', 'a');
  t.equal(room.displaced.length, 3);
  t.not(room.displaced[2], 'a1', 'it was used last');
});

t.test('an address with fewer connections than others loses none', async (t) => {
  const room = new Room(20);
  for (let count = 0; count < 10; count += 1) room.client(`b${count}`, 'b');
  for (let count = 0; count < 100; count += 1) room.client(`a${count}`, 'a');
  t.equal(room.displaced.filter((name) => name.startsWith('b')).length, 0);
});

t.test('a connection that was used since the last sweep is not the unused one', async (t) => {
  const room = new Room(3);
  const [first] = ['a1', 'a2', 'a3'].map((name) => room.client(name, 'a'));
  room.second();
  if (first !== undefined) first.active = true;
  room.client('b1', 'b');
  t.same(room.displaced, ['a2']);
});

t.test('a needed connection makes no room', async (t) => {
  const room = new Room(4);
  const [asking, using] = ['a1', 'a2', 'a3'].map((name) => room.client(name, 'a'));
  room.client('b1', 'b');
  if (asking === undefined || using === undefined) throw new Error('there is room');
  asking.awaitsAnswer = true;
  using.isSessionUsed = true;
  room.second();
  room.client('c1', 'c');
  t.same(room.displaced, ['a3']);
  room.client('d1', 'd');
  t.same(room.displaced, ['a3', 'b1'], 'needed ones do not count in the comparison');
  asking.awaitsAnswer = false;
  room.second();
  for (const name of ['e1', 'f1', 'g1']) room.client(name, name);
  t.ok(room.displaced.includes('a1'), 'it was answered');
  t.notOk(room.displaced.includes('a2'));
});

t.test('a connection is kept for a minute after the last use of a session', async (t) => {
  const room = new Room(2);
  const using = room.client('a1', 'a');
  using.isSessionUsed = true;
  // It is noticed by a sweep, or when a connection has to make room.
  room.client('b1', 'b');
  room.client('c1', 'c');
  t.same(room.displaced, ['b1']);
  room.clock.advance(sessionKeptMs - 1);
  room.room.sweep();
  room.client('d1', 'd');
  t.same(room.displaced, ['b1', 'c1']);
  room.clock.advance(1);
  room.room.sweep();
  room.client('e1', 'e');
  room.client('f1', 'f');
  t.ok(room.displaced.includes('a1'));
});

t.test('where all are needed a connection is refused, until one is not any more', async (t) => {
  const room = new Room(3);
  const clients = ['a1', 'a2', 'b1'].map((name) => room.client(name, name.slice(0, 1)));
  for (const client of clients) client.awaitsAnswer = true;
  t.equal(room.enter('c1', 'c'), 'connectionsRefused');
  t.equal(room.enter('c1', 'c'), 'connectionsRefused');
  // No sweep has to come first.
  for (const client of clients.slice(1, 2)) client.awaitsAnswer = false;
  t.type(room.enter('c1', 'c'), Client);
  t.same(room.displaced, ['a2']);
});

t.test('at its own bound an address makes room itself', async (t) => {
  const room = new Room(10, 2);
  const [first] = ['a1', 'a2'].map((name) => room.client(name, 'a'));
  room.second();
  room.client('a3', 'a');
  t.same(room.displaced, ['a1']);
  t.not(first, undefined);
  const needed = new Room(10, 1);
  needed.client('a1', 'a').awaitsAnswer = true;
  t.equal(needed.enter('a2', 'a'), 'connectionsRefusedOfAddress');
  t.type(needed.enter('b1', 'b'), Client);
});

t.test('a handshake within its grace makes room only for a much smaller address', async (t) => {
  const room = new Room(8);
  const displaced: number[] = [];
  for (let count = 0; count < 8; count += 1) {
    const seat = room.room.take('a', () => {
      displaced.push(count);
      room.room.leave(seat);
    });
  }
  t.equal(room.enter('a1', 'a'), 'connectionsRefused');
  room.client('b1', 'b');
  t.same(displaced, [0]);
  t.equal(room.enter('b2', 'b'), 'connectionsRefused', '7 are less than four times 2');
  room.clock.advance(frontLimits.handshakeGraceMs);
  room.client('a1', 'a');
  t.same(displaced, [0, 1]);
});

t.test('a handshake within its grace comes behind idle connections of its address', async (t) => {
  const room = new Room(3);
  const begin = () => {
    const seat = room.room.take('a', () => {
      room.displaced.push('handshake');
      room.room.leave(seat);
    });
  };
  begin();
  room.client('a1', 'a');
  room.client('a2', 'a');
  room.second();
  room.client('b1', 'b');
  room.client('b2', 'b');
  t.same(room.displaced, ['a1', 'a2']);
  const late = new Room(3);
  late.client('a1', 'a');
  late.second();
  const seat = late.room.take('a', () => {
    late.displaced.push('handshake');
    late.room.leave(seat);
  });
  const used = late.client('a2', 'a');
  for (let count = 0; count < 3; count += 1) {
    used.active = true;
    late.second();
  }
  for (const name of ['b1', 'c1']) late.client(name, name);
  t.same(late.displaced, ['a1', 'handshake'], 'later it counts by its age');
});

t.test('a connection that is gone changes nothing any more', async (t) => {
  const room = new Room(2);
  const gone = room.client('a1', 'a');
  room.client('a2', 'a');
  room.room.leave(gone.seat);
  room.room.leave(gone.seat);
  // Its client was handed over in the meantime.
  room.room.settle(gone.seat, gone);
  room.second();
  room.client('b1', 'b');
  t.same(room.displaced, []);
  room.client('b2', 'b');
  t.same(room.displaced, ['b1'], 'the new one counts, so b has most');
});

t.test('a control connection displaces only from its own or a larger address', async (t) => {
  const room = new Room(4);
  for (const name of ['a1', 'a2', 'a3']) room.client(name, 'a');
  t.equal(room.room.displaceFor('b', 3), false);
  t.equal(room.room.displaceFor('b', 2), true);
  t.same(room.displaced, ['a1']);
  room.client('b1', 'b');
  t.equal(room.room.displaceFor('b', 9), true);
  t.same(room.displaced, ['a1', 'b1']);
});

t.test('agrees with a list that is scanned', async () => {
  const steps = fc.array(
    fc.record({ address: fc.constantFrom('a', 'b', 'c', 'd'), what: fc.nat({ max: 9 }) }),
    { maxLength: 120 },
  );
  fc.assert(
    fc.property(steps, (steps) => {
      const room = new Room(8);
      /** Open connections. */
      const open = new Map<string, Client>();
      for (const [number, { address, what }] of steps.entries()) {
        const [oldest] = [...open.values()].filter(({ seat }) => seat.share.address === address);
        if (what === 0) room.second();
        else if (what === 1 && oldest !== undefined) oldest.awaitsAnswer = !oldest.awaitsAnswer;
        else if (what === 2 && oldest !== undefined) oldest.isSessionUsed = true;
        else if (what === 3 && oldest !== undefined) {
          room.room.leave(oldest.seat);
          open.delete(oldest.name);
        } else {
          const before = [...open.values()];
          const from = room.displaced.length;
          const entered = room.enter(`${number}`, address);
          const gone = room.displaced.slice(from).map((name) => open.get(name));
          check(room, before, gone, entered, address);
          for (const name of room.displaced.slice(from)) open.delete(name);
          if (typeof entered !== 'string') open.set(entered.name, entered);
        }
        assert.ok(open.size <= 8);
      }
    }),
  );
});

function check(
  { clock }: Room,
  before: readonly Client[],
  gone: readonly (Client | undefined)[],
  entered: Client | string,
  address: string,
): void {
  const isNeeded = ({ awaitsAnswer, isSessionUsed, seat }: Client) =>
    awaitsAnswer || isSessionUsed || clock.monotonic() - seat.sessionUsedMs < sessionKeptMs;
  const unneeded = before.filter((client) => !isNeeded(client));
  const of = (one: string) => unneeded.filter(({ seat }) => seat.share.address === one).length;
  assert.equal(gone.length, before.length === 8 && unneeded.length > 0 ? 1 : 0);
  assert.equal(typeof entered === 'string', before.length === 8 && unneeded.length === 0);
  for (const client of gone) {
    assert.ok(client !== undefined && !isNeeded(client));
    const { address: from } = client.seat.share;
    assert.ok(from === address || of(from) > of(address), 'from no smaller address');
    const most = Math.max(...before.map(({ seat }) => of(seat.share.address)));
    assert.ok(of(from) === most, 'from the largest one');
  }
}
