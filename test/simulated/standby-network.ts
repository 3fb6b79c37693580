// A network of two nodes in one process: one leads, the other follows. When the leader dies, the
// other one leads, and a third one begins to follow.

import { openHome } from '../../snapshots/home/open.ts';
import { packValue } from '../../snapshots/log/codec.ts';
import { frameKinds } from '../../snapshots/log/frame.ts';
import type { LogWriterOptions } from '../../snapshots/log/log-writer.ts';
import type { OpenWriter } from '../../snapshots/log/writer-host.ts';
import { InlineWriter } from '../../snapshots/log/writer-inline.ts';
import type { Core } from '../../src/assembly/core.ts';
import type { LeaderPort } from '../../src/assembly/core-options.ts';
import { SimulatedClock } from './clock.ts';
import { SimulatedDisk } from './disk.ts';
import { adminPassword, adminUser, Network, type NetworkOptions } from './network.ts';
import { ProcessClock } from './process-clock.ts';
import { SharedLog, SharedLogWriter } from './shared-log.ts';

const home = '/home';

/** Boots one, and logs its administrator in. */
export async function bootStandbyNetwork(options: NetworkOptions = {}): Promise<StandbyNetwork> {
  const network = new StandbyNetwork(options);
  await network.open();
  network.admin = await network.login(adminUser, adminPassword);
  return network;
}

/** `crash` and `restart` are takeovers; the world's clock goes on. */
export class StandbyNetwork extends Network {
  /** The home from which all nodes began, by path. */
  readonly #base = new Map<string, Buffer>();
  #log: SharedLog | undefined;
  #term = 0;
  #leaderClock: ProcessClock | undefined;
  #standby: Core | undefined;
  /** While it is set, the leader hears of no session that was used elsewhere. */
  losesReports = false;
  /** While it is set, the node that follows knows of no leader. */
  hasNoLeader = false;
  #standbyClock: ProcessClock | undefined;

  /** The shared log. */
  get log(): SharedLog {
    return this.#log ?? missing();
  }

  /** The node that follows, in step with what is confirmed. */
  get standby(): Core {
    const core = this.#standby ?? missing();
    this.#catchUp(core);
    return core;
  }

  /** The same node, which may lack what was confirmed since it was looked at last. */
  get behind(): Core {
    return this.#standby ?? missing();
  }

  #catchUp({ following, env }: Core): void {
    if (following === undefined || env.store.isAttached || following.lastLsn >= this.log.lastLsn)
      return;
    const { frames, lastLsn } = this.log.after(following.lastLsn);
    following.apply(frames, lastLsn);
  }

  /** A single node makes the home, which all nodes then have a copy of. */
  override async open(): Promise<void> {
    await super.open();
    const { core, disk } = this;
    await this.pump(core.close());
    for (const path of filesOf(disk)) this.#base.set(path, disk.bytesOf(path));
    const found = await this.#positionOf(this.#baseDisk());
    this.#log = new SharedLog(found.dataSetId, found.position.lsn);
    await this.#beginFollowing();
    await this.#takeOver();
  }

  /** Shows a node that has recovered everything that is confirmed, and applied nothing. */
  async recovered(look: (core: Core) => void): Promise<void> {
    const core = await this.#openNode(new ProcessClock(this.clock));
    look(core);
    await this.pump(core.journal.close());
  }

  override async crash(): Promise<void> {
    await this.#takeOver();
  }

  override async kill(): Promise<void> {
    await this.#takeOver();
  }

  override async restart(): Promise<void> {
    // What only memory held is written, as before a step-down.
    await this.pump(this.core.close());
    await this.#takeOver();
  }

  override async stop(): Promise<void> {
    await this.pump(this.standby.close());
    await super.stop();
  }

  async #takeOver(): Promise<void> {
    this.#leaderClock?.end();
    const { standby: core } = this;
    this.#leaderClock = this.#standbyClock;
    this.#term++;
    const nonce = '00'.repeat(16);
    this.log.appendTerm(Buffer.from(packValue([this.clock.now(), this.#term, nonce])));
    const { frames, lastLsn } = this.log.after(core.following?.lastLsn ?? 0);
    core.following?.apply(frames, lastLsn);
    await this.pump(core.lead());
    core.start();
    this.adopt(core);
    await this.#beginFollowing();
  }

  async #beginFollowing(): Promise<void> {
    this.#standbyClock = new ProcessClock(this.clock);
    this.#standby = await this.#openNode(this.#standbyClock);
    this.#standby.startFollowing();
  }

  async #openNode(clock: ProcessClock): Promise<Core> {
    const openWriter: OpenWriter = (_start, events) => new SharedLogWriter(this.log, clock, events);
    const leader: LeaderPort = {
      // It answers in a later turn, and its frames arrive later still.
      ask: (answered) => {
        if (this.hasNoLeader) return false;
        setImmediate(() => {
          answered({ lsn: this.log.lastLsn, confirmedLsn: this.log.lastLsn });
          setImmediate(() => this.#catchUp(this.behind));
        });
        return true;
      },
      report: (uses, answered) => {
        setImmediate(() => answered(this.losesReports ? undefined : this.core.noteUses(uses)));
        return true;
      },
    };
    return await this.openCoreOn({ disk: await this.#recoveredDisk(), clock, openWriter, leader });
  }

  #baseDisk(): SimulatedDisk {
    const disk = new SimulatedDisk(1);
    for (const [path, bytes] of this.#base) disk.place(path, bytes);
    return disk;
  }

  /** A home with all confirmed frames. */
  async #recoveredDisk(): Promise<SimulatedDisk> {
    const disk = this.#baseDisk();
    const { frames } = this.log;
    if (frames.length === 0) return disk;
    const clock = new SimulatedClock();
    const nothing = () => undefined;
    const events = {
      progress: nothing,
      stalled: nothing,
      resumed: nothing,
      failed: nothing,
      space: nothing,
    };
    const start = await this.#positionOf(disk);
    const writer = new InlineWriter(disk, clock, start, events);
    for (const { kind, payload } of frames) {
      // Both begin with a time, and change nothing.
      const isTerm = kind === frameKinds.term;
      writer.append(isTerm ? frameKinds.seal : kind, payload);
    }
    await writer.sync();
    await writer.stop();
    return disk;
  }

  async #positionOf(disk: SimulatedDisk): Promise<LogWriterOptions> {
    let found: LogWriterOptions | undefined;
    const nothing = async () => undefined;
    const { limits } = this.config;
    const { journal } = await openHome({
      home,
      disk,
      clock: new SimulatedClock(),
      level: 'disk',
      writer: 'inline',
      openWriter: (start) => {
        found = start;
        return { append: () => true, wake: () => undefined, sync: nothing, stop: nothing };
      },
      newDataSetId: '00'.repeat(16),
      segmentBytes: limits.segmentBytes,
      frameBytesMax: limits.frameBytesMax,
      pendingBytesMax: limits.writeBytesWaitingMax,
      snapshotsKept: 2,
      load: () => undefined,
    });
    await journal.close();
    return found ?? missing();
  }
}

function filesOf(disk: SimulatedDisk): string[] {
  const directories = [home, `${home}/log`, `${home}/snapshots`, `${home}/pki`];
  return directories.flatMap((directory) => {
    return disk.list(directory).map((name) => `${directory}/${name}`);
  });
}

function missing(): never {
  throw new Error('the network is not open');
}
