// Nodes of a cluster in one simulated world: their processes start, stop, are cut off and die, and
// each keeps what its main thread was told.

import { unpackValue } from '../../snapshots/log/codec.ts';
import {
  frameBytesAt,
  frameHeaderBytes,
  frameKinds,
  readFrame,
} from '../../snapshots/log/frame.ts';
import type { NodeEvents } from '../../src/cluster/cluster-node.ts';
import { GroupChain } from '../../src/cluster/log/group-chain.ts';
import { Lease, LeaseReader, leaseMemory, lifeSignMs } from '../../src/cluster/node/lease.ts';
import { Node } from '../../src/cluster/node/node.ts';
import {
  confirmationMemory,
  ReadsToConfirm,
  RequestedReads,
} from '../../src/cluster/node/read-confirmations.ts';
import type { SharedSnapshot } from '../../src/cluster/shared-snapshots.ts';
import type { Generation, LogPoint, Term } from '../../src/cluster/stream.ts';
import { framed, trust } from '../cluster/groups.ts';
import type { SimulatedClock } from './clock.ts';
import { SimulatedMembers } from './members.ts';
import { NodeClock, type NodeClockOptions, type PauseSeenBy } from './node-clock.ts';
import { SimulatedRandom } from './random.ts';
import type { SimulatedStream } from './stream.ts';

/** One record of a home: a frame of the log. */
interface KeptFrame extends LogPoint {
  /** What was written; undefined for a term. */
  readonly value: unknown;
}

/** The nodes and what they share. */
export class SimulatedCluster {
  readonly clock: SimulatedClock;
  readonly stream: SimulatedStream;
  /** Of this generation. */
  directory = new SimulatedMembers();
  readonly machines: SimulatedMachine[] = [];
  /** Values whose writes were confirmed to a leader's main thread, in that order. */
  confirmed: unknown[] = [];
  /** The records with which this generation began. */
  seed: readonly KeptFrame[] = [];
  /** What is wrong with the stream's configuration. */
  configurationFault: string | undefined;
  snapshot: SharedSnapshot | undefined = {
    name: 'first',
    generation: 1,
    sequence: 0,
    lsn: 0,
    crc: 0,
    bytes: 0,
  };

  constructor(clock: SimulatedClock, stream: SimulatedStream) {
    this.clock = clock;
    this.stream = stream;
  }

  /** One more machine, on which no process runs yet. */
  add(options: NodeClockOptions = {}): SimulatedMachine {
    const machine = new SimulatedMachine(this, `n${this.machines.length + 1}`, options);
    this.machines.push(machine);
    return machine;
  }

  /**
   * Begins the next generation with the home of a machine, whose process must have ended. What that
   * home lacks is confirmed no more.
   */
  async reseed(machine: SimulatedMachine): Promise<void> {
    const { id, last, values } = machine;
    const generation = this.stream.generation + 1;
    this.stream.recreate(generation);
    this.seed = [...machine.frames];
    machine.generation = generation;
    this.snapshot = { name: `seed ${generation}`, generation, sequence: 0, ...last, bytes: 0 };
    this.directory = new SimulatedMembers();
    await this.directory.view().raiseMark({ id, generation, term: 0, ...last });
    const kept = new Set(values);
    this.confirmed = this.confirmed.filter((value) => kept.has(value));
  }

  /** The values of this generation that a node can read, up to a number that was skipped. */
  get readable(): unknown[] {
    const { generation, messages, skippedAt = Number.POSITIVE_INFINITY } = this.stream;
    const { lsn, crc } = this.seed.at(-1) ?? { lsn: 0, crc: 0 };
    const chain = new GroupChain({ ...trust, generation }, { lsn, crc });
    const frames = [...this.seed];
    for (const message of messages.filter(({ sequence }) => sequence < skippedAt)) {
      const { last } = chain;
      frames.push(...framesOf(chain.next(message)?.frames ?? Buffer.alloc(0), last));
    }
    return frames.map(({ value }) => value);
  }

  /** Those that serve. */
  get leaders(): readonly SimulatedMachine[] {
    return this.machines.filter((machine) => machine.process?.isServing === true);
  }

  /** Lets time go by, with all callbacks of promises in between. */
  async elapse(ms: number, look?: () => void): Promise<void> {
    const end = this.clock.monotonic() + ms;
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      look?.();
      const nextMs = this.clock.nextTimerMs;
      if (nextMs === undefined || this.clock.monotonic() + nextMs > end) break;
      this.clock.advance(nextMs);
    }
    this.clock.advance(end - this.clock.monotonic());
  }

  /** Lets time go by in steps until `is` holds; the ms that it took, or undefined. */
  async until(is: () => boolean, msMax: number, stepMs = 50): Promise<number | undefined> {
    for (let ms = 0; ms <= msMax; ms += stepMs) {
      if (is()) return ms;
      await this.elapse(stepMs);
    }
    return undefined;
  }
}

/** A machine with its disk and clock. */
export class SimulatedMachine {
  readonly cluster: SimulatedCluster;
  readonly id: string;
  readonly clock: NodeClock;
  /** Its home. */
  readonly frames: KeptFrame[] = [];
  /** That of its home. */
  generation: Generation;
  /** Cut off from the other nodes. */
  isApart = false;
  isCut = false;
  isFrozen = false;
  settingsHash = 'same';
  leads: 'never' | undefined;
  formats: Readonly<Record<string, number>> = { log: 1 };
  process: SimulatedProcess | undefined;
  #starts = 0;

  constructor(cluster: SimulatedCluster, id: string, options: NodeClockOptions) {
    this.cluster = cluster;
    this.id = id;
    this.generation = cluster.stream.generation;
    this.clock = new NodeClock(cluster.clock, options);
  }

  /** Starts a process on its home, which is replaced if it is of a former generation. */
  start(isForced = false): SimulatedProcess {
    this.#starts += 1;
    const { seed, stream } = this.cluster;
    if (this.generation !== stream.generation) {
      this.generation = stream.generation;
      this.frames.splice(0, this.frames.length, ...seed);
    }
    this.process = new SimulatedProcess(this, `${this.id} ${this.#starts}`, isForced);
    if (this.isCut) this.process.cut();
    return this.process;
  }

  /** SIGKILL; the newest frames behind the snapshot may not have reached the disk. */
  kill(unsynced = 0): void {
    this.process?.die();
    this.process = undefined;
    const { seed, stream } = this.cluster;
    const kept = this.generation === stream.generation ? seed.length : 0;
    this.frames.length = Math.max(kept, this.frames.length - unsynced);
  }

  /** No contact to the stream and the directory. */
  cut(): void {
    this.isCut = true;
    this.process?.cut();
  }

  restore(): void {
    this.isCut = false;
    this.process?.restore();
  }

  freeze(seenBy?: PauseSeenBy): void {
    this.isFrozen = true;
    this.clock.freeze(seenBy);
    this.process?.connection.freeze();
  }

  thaw(): void {
    this.isFrozen = false;
    this.clock.thaw();
    this.process?.connection.thaw();
  }

  /** The last frame of its home. */
  get last(): LogPoint {
    const { lsn, crc } = this.frames.at(-1) ?? { lsn: 0, crc: 0 };
    return { lsn, crc };
  }

  /** The values of its home. */
  get values(): unknown[] {
    return this.frames.filter(({ value }) => value !== undefined).map(({ value }) => value);
  }
}

/** A process: the node, and what the main thread does with it. */
export class SimulatedProcess {
  readonly node: Node;
  readonly connection: ReturnType<SimulatedStream['connect']>;
  readonly reader: LeaseReader;
  /** What waits for the log. */
  readonly reads: RequestedReads;
  /** What the main thread was told, in order. */
  readonly told: string[] = [];
  leads: Term | undefined;
  isDead = false;
  /** The main thread does nothing. */
  isHung = false;
  readonly #machine: SimulatedMachine;
  readonly #confirmed: unknown[];
  readonly #view: ReturnType<SimulatedMembers['view']>;

  constructor(machine: SimulatedMachine, name: string, isForced: boolean) {
    this.#machine = machine;
    const { cluster, clock, id } = machine;
    this.connection = cluster.stream.connect(clock);
    this.#view = cluster.directory.view();
    this.#confirmed = cluster.confirmed;
    const memory = leaseMemory();
    this.reader = new LeaseReader(memory, clock);
    const confirmations = confirmationMemory();
    this.reads = new RequestedReads(confirmations, clock);
    const toConfirm = new ReadsToConfirm(confirmations);
    const { settingsHash, formats, leads } = machine;
    const fixed = { version: '1', advertised: `${id}:1280`, internal: `${id}:1290`, keys: {} };
    this.node = new Node({
      description: { id, ...fixed, settingsHash, formats, leads },
      stream: this.connection,
      members: this.#view,
      newestSnapshot: async () => cluster.snapshot,
      clock,
      random: new SimulatedRandom(name),
      lease: new Lease(memory, clock),
      trust: { ...trust, generation: this.connection.generation },
      payloadBytesMax: 200,
      configurationFault: () => cluster.configurationFault,
      ask: (member) => this.#ask(member.id),
      clockSkewMs: 500,
      isForced,
      close: () => this.connection.cut(),
      events: this.#events(),
      localLog: () => undefined,
      confirmed: (group) => this.#apply(group.frames, true),
      reads: {
        asked: () => toConfirm.asked,
        confirmed: (asked) => this.reads.confirm(asked),
      },
    });
    this.#showLife();
    this.node.start(machine.last);
  }

  /** Whether an answer may leave now. */
  get isServing(): boolean {
    return !this.isDead && this.leads !== undefined && this.reader.mayAnswer();
  }

  /** Writes values in one commit; false if it does not lead. */
  write(...values: readonly unknown[]): boolean {
    const { writer } = this.node;
    if (this.isDead || this.leads === undefined || writer === undefined) return false;
    writer.stage(values.map(framed));
    return true;
  }

  /** Reads all that it has now; `leaves` is called once the log has confirmed the answer. */
  read(leaves: (values: readonly unknown[]) => void): void {
    if (this.isDead || this.leads === undefined) return;
    const { clock, values } = this.#machine;
    const stamp = this.reads.ask();
    clock.soon(() => this.node.writer?.confirmReads());
    this.reads.onceConfirmed(stamp, () => {
      if (this.isServing) leaves(values);
    });
  }

  die(): void {
    this.isDead = true;
    this.node.stop();
  }

  cut(): void {
    this.connection.cut();
    this.#view.isCut = true;
  }

  restore(): void {
    if (this.isDead || this.told.some((line) => line.startsWith('fenced'))) return;
    this.connection.restore();
    this.#view.isCut = false;
  }

  #showLife(): void {
    if (this.isDead) return;
    if (!this.isHung) this.reader.showLife();
    this.#machine.clock.after(lifeSignMs, () => this.#showLife());
  }

  async #ask(id: string) {
    const other = this.#machine.cluster.machines.find((machine) => machine.id === id);
    const isReached = other !== undefined && !other.isApart && !this.#machine.isApart;
    const process = isReached ? other.process : undefined;
    if (process === undefined || process.isDead) throw new Error('it is not there');
    if (other?.isFrozen === true) return new Promise<never>(() => {});
    return process.node.position;
  }

  #events(): NodeEvents {
    const { told } = this;
    return {
      apply: (frames) => this.#apply(frames, false),
      lead: (term, after) => {
        this.leads = term;
        told.push(`lead ${term} after ${after.lsn}`);
        if (after.lsn !== this.#machine.last.lsn) throw new Error('it leads before it has applied');
      },
      leader: (member) => told.push(`leader ${member?.id}`),
      fenced: (reason) => {
        this.leads = undefined;
        told.push(`fenced: ${reason}`);
      },
      halted: (reason) => {
        this.leads = undefined;
        told.push(`halted: ${reason}`);
      },
      behind: (snapshot) => told.push(`behind ${snapshot.name}`),
    };
  }

  #apply(frames: Buffer, isOwn: boolean): void {
    const { frames: kept, last } = this.#machine;
    if (this.isDead) throw new Error('a dead process was told something');
    for (const frame of framesOf(frames, last)) {
      kept.push(frame);
      if (isOwn) this.#confirmed.push(frame.value);
    }
  }
}

function framesOf(frames: Buffer, after: LogPoint): KeptFrame[] {
  const found: KeptFrame[] = [];
  let { lsn } = after;
  for (let at = 0; at < frames.length; at += frameBytesAt(frames, at)) {
    const frame = readFrame(frames, at, trust.seed);
    if (frame?.lsn !== lsn + 1) throw new Error(`LSN ${frame?.lsn} was applied after ${lsn}`);
    lsn = frame.lsn;
    const payload = frames.subarray(at + frameHeaderBytes, at + frame.length);
    const value = frame.kind === frameKinds.term ? undefined : unpackValue(payload);
    found.push({ lsn, crc: frame.crc, value });
  }
  return found;
}
