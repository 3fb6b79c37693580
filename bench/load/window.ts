// The measured window of a run: when it begins and ends, what was answered in it, and what the
// machine did meanwhile.

import { cpuBetween, sampleCpu, sampleMachineMs } from '../server/process-figures.ts';
import { Histogram } from './histogram.ts';
import type { Job, JobResult } from './job.ts';

/** The figures of a window. */
export type WindowFigures = Pick<
  JobResult,
  'answered' | 'windowMs' | 'latency' | 'server' | 'clientCpuMs' | 'foreignCpuMs'
>;

/** A window: noted into by every answer. */
export class Window {
  readonly #job: Pick<Job, 'serverPid' | 'warmUpMs' | 'measureMs'>;
  readonly #latency = new Histogram();
  #answered = 0;
  #start = Number.POSITIVE_INFINITY;
  #end = Number.POSITIVE_INFINITY;
  #before: Moment | undefined;
  #after: Moment | undefined;

  constructor(job: Pick<Job, 'serverPid' | 'warmUpMs' | 'measureMs'>) {
    this.#job = job;
  }

  /** When nothing new is to be sent any more, by `performance.now()`. */
  get end(): number {
    return this.#end;
  }

  /** The run begins: behind the warm-up, the window does. */
  start(now: number): void {
    const { warmUpMs, measureMs } = this.#job;
    this.#start = now + warmUpMs;
    this.#end = this.#start + measureMs;
    if (warmUpMs === 0) this.#begin(now);
  }

  /** An answer. `isWarm`: the warm-up has had its share of the requests there are. */
  note(now: number, durationMs: number, isWarm: boolean): void {
    if (this.#after !== undefined) return;
    if (this.#before === undefined) {
      if (now >= this.#start || isWarm) this.#begin(now);
      return;
    }
    if (now >= this.#end) {
      this.finish(now);
      return;
    }
    this.#answered += 1;
    this.#latency.record(durationMs);
  }

  /**
   * An answer of an open loop. Its latency counts if it should have been sent within the window,
   * however late it comes: the slowest must not be left out.
   */
  noteIntended(now: number, intendedAt: number): void {
    this.tick(now);
    if (this.#before !== undefined && this.#after === undefined) this.#answered += 1;
    if (intendedAt >= this.#start && intendedAt < this.#end) {
      this.#latency.record(now - intendedAt);
    }
  }

  /** Of an open loop: the window begins and ends by the clock, not by answers. */
  tick(now: number): void {
    if (now >= this.#start) this.#before ??= momentOf(this.#job.serverPid, now);
    if (now >= this.#end) this.finish(now);
  }

  /** The window is over, if it is not yet. */
  finish(now: number): void {
    this.#after ??= momentOf(this.#job.serverPid, now);
  }

  figures(): WindowFigures {
    const { serverPid } = this.#job;
    const after = this.#after ?? momentOf(serverPid, performance.now());
    const before = this.#before ?? after;
    const clientCpuMs = after.clientMs - before.clientMs;
    const server =
      serverPid === undefined || before.server === undefined || after.server === undefined
        ? undefined
        : cpuBetween(before.server, after.server, serverPid);
    const others = after.machineMs - before.machineMs - clientCpuMs - (server?.cpuMs ?? 0);
    return {
      answered: this.#answered,
      windowMs: after.atMs - before.atMs,
      latency: this.#latency.sparse(),
      server,
      clientCpuMs,
      foreignCpuMs: server === undefined ? undefined : Math.max(0, others),
    };
  }

  #begin(now: number): void {
    this.#start = now;
    this.#end = now + this.#job.measureMs;
    this.#before = momentOf(this.#job.serverPid, now);
  }
}

interface Moment {
  readonly atMs: number;
  readonly server: ReturnType<typeof sampleCpu> | undefined;
  readonly clientMs: number;
  readonly machineMs: number;
}

function momentOf(serverPid: number | undefined, atMs: number): Moment {
  const { user, system } = process.cpuUsage();
  return {
    atMs,
    server: serverPid === undefined ? undefined : sampleCpu(serverPid),
    clientMs: (user + system) / 1000,
    machineMs: sampleMachineMs(),
  };
}
