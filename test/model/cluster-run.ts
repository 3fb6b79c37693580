// One random life of a cluster of three nodes, evaluated at each moment.

import { heartbeatMs, leaseMs } from '../../src/cluster/node/lease.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedCluster, type SimulatedMachine } from '../simulated/cluster.ts';
import type { PauseSeenBy } from '../simulated/node-clock.ts';
import { noFaults, requestMs, SimulatedStream } from '../simulated/stream.ts';

/** What came of a life. */
export interface ClusterRun {
  /** What was wrong, if anything was. */
  readonly failure: string | undefined;
  /** The faults, in order. */
  readonly events: readonly string[];
  /** Reads that the log confirmed. */
  readonly confirmedReads: number;
  /** The longest time for which a machine has answered without something confirmed. */
  readonly stale: StaleTimes;
}

/**
 * How long a machine whose clocks have not seen a pause answers without something that was
 * confirmed, in ms of these clocks.
 */
interface StaleTimes {
  /** While the stream answers its messages. */
  answered: number;
  /** While it does not. */
  unanswered: number;
}

/** The life of a seed: always the same. */
export async function runCluster(seed: number): Promise<ClusterRun> {
  const life = new ClusterLife(seed);
  try {
    await life.run();
    const { confirmedReads, events, stale } = life;
    return { failure: undefined, events, confirmedReads, stale };
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    const { confirmedReads, events, stale } = life;
    const text = `seed ${seed}: ${error.message} (${events.join(', ')})`;
    return { failure: text, events, confirmedReads, stale };
  }
}

/** A rule was broken. */
class Violation extends Error {}

/** Faults per life. */
const stepsMax = 8;
/** How long a new leader may need once all is well, in ms. */
const takeoverMs = 5000;
/** How long a node is silent before it counts as away, in ms. */
const silentMs = 10_000;
/** How long it may take until a loss of messages is certain, in ms. */
const haltMs = 30_000;
/**
 * How long answers may be stale after a pause that no clock of the machine has seen, in ms of its
 * clocks. If the stream answers, the next heartbeat is refused: it is due after a second, a node
 * looks every 100 ms whether it is, and the refusal and the look at the stream take some ms.
 */
const staleMsMax: StaleTimes = { answered: heartbeatMs + 100 + 30, unanswered: leaseMs };

/** Why a node does not lead that has all of the stream. */
const heldBack = /^the high-water mark of node n\d is at LSN \d+, and the stream ends at \d+$/;

class ClusterLife {
  readonly events: string[] = [];
  /** Reads that were answered once the log had confirmed them. */
  confirmedReads = 0;
  readonly stale: StaleTimes = { answered: 0, unanswered: 0 };
  readonly #clock = new SimulatedClock();
  readonly #stream: SimulatedStream;
  readonly #cluster: SimulatedCluster;
  readonly #draw: () => number;
  /** Messages that the stream has lost. */
  #hasLost = false;
  #written = 0;
  /** Per value, how many were confirmed before it was written. */
  readonly #confirmedBefore = new Map<unknown, number>();
  readonly #restartChance: number;
  #depth = 0;
  #staleRead: string | undefined;
  /** Since when a machine has answered without something, by its own clock. */
  readonly #staleSince = new Map<SimulatedMachine, number>();
  /** When the stream was last in trouble for a machine, by its own clock. */
  readonly #troubleAt = new Map<SimulatedMachine, number>();
  /** Clients ask nothing of this machine that the stream would have to confirm. */
  #idle: SimulatedMachine | undefined;

  constructor(seed: number) {
    const clock = this.#clock;
    this.#stream = new SimulatedStream({ clock, seed });
    this.#draw = this.#stream.random;
    this.#cluster = new SimulatedCluster(clock, this.#stream);
    this.#restartChance = this.#draw() < 0.5 ? 0.5 : 0.1;
    for (let count = 0; count < 3; count++) {
      const rate = 0.99 + 0.02 * this.#draw();
      this.#cluster.add({ rate, aheadMs: this.#between(-200, 200) }).start();
    }
  }

  async run(): Promise<void> {
    await this.#live(this.#between(3000, 6000));
    for (let step = this.#between(2, stepsMax); step > 0; step--) {
      await this.#fault();
      await this.#live(this.#between(0, 6000));
    }
    await this.#recover();
    this.#evaluateEnd();
    if (!this.#isBroken) return;
    await this.#reseed();
    await this.#recover();
    this.#evaluateEnd();
  }

  /** The stream has lost messages, or skipped a number: it takes a new generation. */
  get #isBroken(): boolean {
    return this.#hasLost || this.#stream.skippedAt !== undefined;
  }

  /** Lets time go by while clients write. */
  async #live(ms: number): Promise<void> {
    const end = this.#clock.monotonic() + ms;
    while (this.#clock.monotonic() < end) {
      const { confirmed } = this.#cluster;
      for (const machine of this.#cluster.machines) {
        const { process } = machine;
        if (machine.isFrozen || machine === this.#idle) continue;
        this.#read(machine);
        if (process === undefined || process.isDead || this.#draw() < 0.5) continue;
        const count = this.#between(1, 3);
        const values = Array.from({ length: count }, () => this.#written++);
        for (const value of values) this.#confirmedBefore.set(value, confirmed.length);
        process.write(...values);
      }
      await this.#cluster.elapse(this.#between(1, 400), () => this.#evaluate());
      this.#restart();
    }
  }

  /** However long its machine was paused, an answer has all that was confirmed before the read. */
  #read({ id, process }: SimulatedMachine): void {
    const { confirmed } = this.#cluster;
    const before = confirmed.length;
    process?.read((values) => {
      if (this.#hasLost) return;
      this.confirmedReads += 1;
      const had = new Set(values);
      const missing = confirmed.slice(0, before).find((value) => !had.has(value));
      if (missing !== undefined) this.#staleRead = `${id} answers without ${missing}`;
    });
  }

  /**
   * A node whose process has ended is started again, as by a service manager, and one that runs in
   * a former generation, as by an operator. A process ends at once that begins without contact.
   */
  #restart(): void {
    for (const machine of this.#cluster.machines) {
      const { isCut, isFrozen, process } = machine;
      const isPrevious = machine.generation !== this.#stream.generation;
      const hasEnded = process?.told.some((line) => line.startsWith('fenced')) ?? true;
      const isDue = hasEnded || (isPrevious && this.#draw() < 0.1);
      if (!isDue || isFrozen || (isPrevious && isCut)) continue;
      if (this.#draw() >= this.#restartChance) continue;
      machine.kill();
      machine.start();
    }
  }

  async #fault(): Promise<void> {
    const machine = this.#machine();
    const leader = this.#cluster.leaders[0] ?? machine;
    const some = this.#draw() < 0.6 ? leader : machine;
    const drawn = Math.floor(this.#draw() * faults.length);
    const fault = faults[drawn] ?? 'kill';
    this.events.push(`${fault} ${some === leader ? 'leader' : some.id}`);
    await this.#carryOut(fault, some);
  }

  async #carryOut(fault: (typeof faults)[number], machine: SimulatedMachine): Promise<void> {
    const stream = this.#stream;
    switch (fault) {
      case 'kill':
        machine.thaw();
        return machine.kill(this.#between(0, 2));
      case 'killAll':
        for (const one of this.#cluster.machines) {
          one.thaw();
          one.kill();
        }
        return;
      case 'cut':
        machine.cut();
        await this.#last();
        return machine.restore();
      case 'apart':
        machine.isApart = true;
        await this.#last();
        machine.isApart = false;
        return;
      case 'freeze':
        return this.#pause(machine, 'both clocks');
      case 'sleep':
        return this.#pause(machine, 'the wall clock');
      case 'pauseUnseen':
        return this.#pause(machine, 'no clock');
      case 'jump':
        return machine.clock.jump(this.#between(-20_000, 20_000));
      case 'resign':
        return void machine.process?.node.resign();
      case 'silence':
        stream.isSilent = true;
        await this.#last();
        stream.isSilent = false;
        return;
      case 'unsafe':
        this.#cluster.configurationFault = 'max_age is 1 and has to be 0';
        await this.#last();
        this.#cluster.configurationFault = undefined;
        return;
      case 'noise':
        stream.faults = {
          publish: { refused: 0.1, lost: 0.05, unheard: 0.05, slow: 0.05, late: 0.05, twice: 0.05 },
          unanswered: 0.1,
          stale: 0.1,
        };
        await this.#last();
        stream.faults = noFaults;
        return;
      case 'rollBack':
        if (this.#draw() < 0.6) return;
        this.events.push('rolled back');
        this.#hasLost = true;
        return stream.rollBack(this.#between(1, 3));
      case 'gap':
        if (this.#draw() < 0.6) return;
        this.events.push('gapped');
        return machine.process?.connection.plan('gap');
      case 'reseed':
        return this.#reseed();
    }
  }

  /**
   * An operator stops all processes but those that cannot be reached, and begins the next
   * generation, which is refused before these were silent for 10 s.
   */
  async #reseed(): Promise<void> {
    const { machines } = this.#cluster;
    const reached = machines.filter(({ isCut, isFrozen }) => !isCut && !isFrozen);
    for (const machine of reached) machine.kill(this.#between(0, 2));
    await this.#cluster.elapse(silentMs, () => this.#evaluate());
    const newest = Math.max(...reached.map(({ generation }) => generation));
    const homes = reached.filter(({ generation }) => generation === newest);
    homes.sort((one, other) => other.last.lsn - one.last.lsn);
    const isLesser = this.#draw() < 0.2;
    const home = isLesser ? homes.at(-1) : homes[0];
    if (home === undefined || newest < this.#stream.generation) return;
    await this.#cluster.reseed(home);
    this.events.push(`reseeded ${home.id}`);
    this.#hasLost = false;
    this.#confirmedBefore.clear();
    home.start();
  }

  /** A fault lasts, perhaps while others begin. */
  async #last(): Promise<void> {
    this.#depth += 1;
    await this.#live(this.#between(100, 9000));
    if (this.#depth < 3 && this.#draw() < 0.4) {
      await this.#fault();
      await this.#live(this.#between(100, 4000));
    }
    this.#depth -= 1;
  }

  /** A write shows a resumed machine at once that another leads, so there may be none. */
  async #pause(machine: SimulatedMachine, seenBy: PauseSeenBy): Promise<void> {
    machine.freeze(seenBy);
    await this.#last();
    if (this.#draw() < 0.7) this.#idle = machine;
    if (this.#draw() < 0.3) this.#stream.isSilent = true;
    machine.thaw();
    await this.#live(this.#between(100, 3000));
    this.#idle = undefined;
    this.#stream.isSilent = false;
  }

  /** At each moment: whoever answers has all that was confirmed to anybody. */
  #evaluate(): void {
    if (this.#staleRead !== undefined) throw new Violation(this.#staleRead);
    const hasFaults = this.#stream.faults !== noFaults;
    for (const machine of this.#cluster.machines) {
      const { clock, isFrozen, process } = machine;
      if (isFrozen) continue;
      // The stream of a former generation does not answer either.
      const isUp = process?.connection.isUp === true;
      if (hasFaults || !isUp) this.#troubleAt.set(machine, clock.monotonic());
      this.#evaluateAnswers(machine);
    }
  }

  #evaluateAnswers(machine: SimulatedMachine): void {
    const { clock, process } = machine;
    const values = new Set(process?.isServing ? machine.values : this.#cluster.confirmed);
    const missing = this.#cluster.confirmed.find((value) => !values.has(value));
    if (this.#hasLost || missing === undefined) {
      this.#staleSince.delete(machine);
      return;
    }
    const since = this.#staleSince.get(machine) ?? clock.unseenAt ?? Number.NEGATIVE_INFINITY;
    this.#staleSince.set(machine, since);
    const staleMs = clock.monotonic() - since;
    // The answer to a message that was sent before the pause may be on its way.
    const troubleAt = this.#troubleAt.get(machine) ?? Number.NEGATIVE_INFINITY;
    const kind = troubleAt < since - requestMs ? 'answered' : 'unanswered';
    if (staleMs > staleMsMax[kind]) {
      throw new Violation(`${machine.id} answers without ${missing} for ${staleMs} ms (${kind})`);
    }
    this.stale[kind] = Math.max(this.stale[kind], staleMs);
  }

  /** All faults have ended. */
  async #recover(): Promise<void> {
    const { generation } = this.#stream;
    for (const machine of this.#cluster.machines) {
      machine.clock.correct();
      if (machine.generation !== generation) machine.kill();
      if (machine.process === undefined || machine.process.isDead) machine.start();
    }
    const begun = this.#clock.monotonic();
    const limitMs = this.#isBroken ? haltMs : takeoverMs;
    while (!this.#isDecided) {
      await this.#live(50);
      if (this.#clock.monotonic() - begun <= limitMs) continue;
      if (this.#isHeldBack) break;
      throw new Violation(`nobody leads after ${limitMs} ms: ${this.#roles.join('; ')}`);
    }
    await this.#live(this.#isBroken ? 60_000 : 3000);
  }

  get #isDecided(): boolean {
    const { leaders, machines } = this.#cluster;
    const isLed = leaders.length === 1;
    return isLed || machines.some(({ process }) => process?.node.state.role === 'halted');
  }

  /**
   * All that had seen what the stream has lost were killed before they had synced it. Their
   * high-water marks still tell of it, so nobody leads, and nobody halts either.
   */
  get #isHeldBack(): boolean {
    const { directory, machines } = this.#cluster;
    const states = machines.flatMap(({ process }) => process?.node.state ?? []);
    const end = Math.max(...states.map(({ last }) => last.lsn));
    const isAhead = [...directory.marks.values()].some(({ lsn }) => lsn > end);
    const isHeld = ({ trouble = '' }) => heldBack.test(trouble);
    return this.#hasLost && isAhead && states.every(isHeld);
  }

  get #roles(): string[] {
    return this.#cluster.machines.map(({ process }) => {
      const state = process?.node.state;
      return `${state?.role}: ${state?.trouble}`;
    });
  }

  #evaluateEnd(): void {
    const { machines, leaders } = this.#cluster;
    const isHalted = machines.some(({ process }) => process?.node.state.role === 'halted');
    const roles = this.#roles.join('; ');
    if (isHalted && !this.#isBroken) throw new Violation(`halted without a reason: ${roles}`);
    for (const { id, values } of machines) {
      if (new Set(values).size !== values.length) throw new Violation(`${id}: twice`);
    }
    const [leader] = leaders;
    if (this.#stream.skippedAt !== undefined) this.#evaluateGap(leader);
    if (this.#isBroken && (isHalted || this.#isHeldBack)) return;
    if (leader === undefined) throw new Violation(`nobody leads in the end: ${roles}`);
    this.#evaluateOrder(leader);
  }

  /** Nothing behind a gap can be read, so nothing there may have been confirmed. */
  #evaluateGap(leader: SimulatedMachine | undefined): void {
    if (leader !== undefined) throw new Violation(`${leader.id} leads behind a gap`);
    if (this.#hasLost) return;
    const readable = new Set(this.#cluster.readable);
    const lost = this.#cluster.confirmed.find((value) => !readable.has(value));
    if (lost !== undefined) throw new Violation(`${lost} was confirmed behind a gap`);
  }

  /** All that was confirmed is there, and before all that was written afterwards. */
  #evaluateOrder({ values }: SimulatedMachine): void {
    const places = new Map(values.map((value, index) => [value, index]));
    // Of the first so many confirmed values, the last place in the log.
    const lastPlaces = [-1];
    for (const value of this.#cluster.confirmed) {
      const place = places.get(value);
      if (place === undefined) throw new Violation(`confirmed ${value} is lost`);
      lastPlaces.push(Math.max(place, lastPlaces.at(-1) ?? -1));
    }
    for (const [value, place] of places) {
      const before = lastPlaces[this.#confirmedBefore.get(value) ?? 0] ?? -1;
      if (place <= before) throw new Violation(`${value} stands before what it came after`);
    }
  }

  #machine(): SimulatedMachine {
    const { machines } = this.#cluster;
    const machine = machines[Math.floor(this.#draw() * machines.length)];
    if (machine === undefined) throw new Error('there are machines');
    return machine;
  }

  #between(from: number, to: number): number {
    return Math.floor(from + this.#draw() * (to - from + 1));
  }
}

const faults = [
  'kill',
  'kill',
  'killAll',
  'cut',
  'apart',
  'freeze',
  'sleep',
  'pauseUnseen',
  'jump',
  'resign',
  'silence',
  'unsafe',
  'noise',
  'rollBack',
  'gap',
  'reseed',
] as const;
