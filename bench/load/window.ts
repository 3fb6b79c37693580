// The measured window of a run: when it begins and ends, which answers fall into it, and how busy
// the machine was.

import { cpuBetween, sampleCpu, sampleMachineMs } from '../server/process-figures.ts';
import { Histogram } from './histogram.ts';
import type { Job, JobResult } from './job.ts';

/** The figures of a window. */
export type WindowFigures = Pick<
  JobResult,
  'answered' | 'windowMs' | 'latency' | 'server' | 'clientCpuMs' | 'foreignCpuMs'
>;

/** A window, in which every answer is recorded. */
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

  /** When the last request may be sent, by `performance.now()`. */
  get end(): number {
    return this.#end;
  }

  /** Starts the run; the window begins after the warm-up. */
  start(now: number): void {
    const { warmUpMs, measureMs } = this.#job;
    this.#start = now + warmUpMs;
    this.#end = this.#start + measureMs;
    if (warmUpMs === 0) this.#begin(now);
  }

  /** Records an answer. `isWarm` tells whether the warm-up has used its share of the requests. */
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
   * Records an answer of an open loop. Its latency counts if the request should have been sent
   * within the window, however late the answer is, so that the slowest answers are not left out.
   */
  noteIntended(now: number, intendedAt: number): void {
    this.tick(now);
    if (this.#before !== undefined && this.#after === undefined) this.#answered += 1;
    if (intendedAt >= this.#start && intendedAt < this.#end) {
      this.#latency.record(now - intendedAt);
    }
  }

  /** In an open loop the window begins and ends by the clock, not by answers. */
  tick(now: number): void {
    if (now >= this.#start) this.#before ??= momentOf(this.#job.serverPid, now);
    if (now >= this.#end) this.finish(now);
  }

  /** Ends the window if it has not ended yet. */
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
