// The closed loop: each connection sends its next request when its answer is in; a window is
// measured.

import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { cpuBetween, sampleCpu, sampleMachineMs } from '../server/process-figures.ts';
import { AnswerCheck } from './answer-check.ts';
import { type Connection, openConnection } from './connection.ts';
import { Histogram } from './histogram.ts';
import type { Job, JobResult } from './job.ts';
import { compileRequest, type RequestBytes } from './request-bytes.ts';

/** Runs a job. Rejects when no connection can be had; what is wrong with answers is counted. */
export async function runClosedLoop(job: Job): Promise<JobResult> {
  const loop = new ClosedLoop(job);
  return await loop.run();
}

/** Of requests that are not to be had again, the warm-up takes at most so many. */
const warmUpShareMax = 1 / 4;

class ClosedLoop {
  readonly #job: Job;
  readonly #bytes: RequestBytes;
  readonly #check: AnswerCheck;
  readonly #latency = new Histogram();
  readonly #connections: Connection[] = [];
  readonly #requestsMax: number;
  #sent = 0;
  #answered = 0;
  #underWay = 0;
  #windowStart = Number.POSITIVE_INFINITY;
  #windowEnd = Number.POSITIVE_INFINITY;
  #before: Moment | undefined;
  #after: Moment | undefined;
  #over: () => void = () => undefined;

  constructor(job: Job) {
    this.#job = job;
    this.#bytes = compileRequest(job.request, `localhost:${job.port}`);
    this.#check = new AnswerCheck(job.expect, job.collectIds);
    this.#requestsMax = Math.min(job.requestsMax, this.#bytes.distinct - job.firstRequest);
  }

  async run(): Promise<JobResult> {
    const { host, port, caFile, connections, warmUpMs, measureMs } = this.#job;
    const context = createSecureContext({ ca: readFileSync(caFile) });
    const lanes: (() => void)[] = [];
    for (let i = 0; i < connections; i++) lanes.push(await this.#lane({ host, port, context }));
    const over = new Promise<void>((resolve) => {
      this.#over = resolve;
    });
    const start = performance.now();
    this.#windowStart = start + warmUpMs;
    this.#windowEnd = this.#windowStart + measureMs;
    if (warmUpMs === 0) this.#begin(start);
    for (const next of lanes) next();
    if (this.#underWay > 0) await over;
    this.#finish(performance.now());
    for (const connection of this.#connections) connection.close();
    return this.#result();
  }

  /** Opens a connection; the function sends its next request, or none when all is done. */
  async #lane(peer: Parameters<typeof openConnection>[0]): Promise<() => void> {
    const buffer = this.#bytes.copy();
    let sentAt = 0;
    let number = 0;
    const next = (now: number): void => {
      if (this.#sent >= this.#requestsMax || now >= this.#windowEnd) return;
      number = this.#sent++;
      this.#bytes.fill(buffer, number + this.#job.firstRequest);
      this.#underWay += 1;
      sentAt = now;
      connection.send(buffer);
    };
    const connection = await openConnection(
      peer,
      (status, bytes, bodyOffset) => {
        const now = performance.now();
        this.#underWay -= 1;
        this.#note(now, now - sentAt);
        this.#check.take(number, status, bytes, bodyOffset);
        // After the checks: what the client does with an answer is not the server's latency.
        next(performance.now());
        if (this.#underWay === 0) this.#over();
      },
      (reason) => {
        this.#check.broken(reason);
        this.#underWay = Math.max(0, this.#underWay - 1);
        if (this.#underWay === 0) this.#over();
      },
    );
    this.#connections.push(connection);
    return () => next(performance.now());
  }

  #note(now: number, durationMs: number): void {
    if (this.#after !== undefined) return;
    if (this.#before === undefined) {
      const spent = this.#sent >= this.#requestsMax * warmUpShareMax;
      if (now >= this.#windowStart || spent) this.#begin(now);
      return;
    }
    if (now >= this.#windowEnd) {
      this.#finish(now);
      return;
    }
    this.#answered += 1;
    this.#latency.record(durationMs);
  }

  #begin(now: number): void {
    this.#windowStart = now;
    this.#windowEnd = now + this.#job.measureMs;
    this.#before = moment(this.#job.serverPid, now);
  }

  #finish(now: number): void {
    this.#after ??= moment(this.#job.serverPid, now);
  }

  #result(): JobResult {
    const after = this.#after ?? moment(this.#job.serverPid, performance.now());
    const before = this.#before ?? after;
    const server = cpuBetween(before.server, after.server, this.#job.serverPid);
    const clientCpuMs = after.clientMs - before.clientMs;
    const machineMs = after.machineMs - before.machineMs;
    return {
      sent: this.#sent,
      answered: this.#answered,
      windowMs: after.atMs - before.atMs,
      latency: this.#latency.sparse(),
      ...this.#check.result(),
      server,
      clientCpuMs,
      foreignCpuMs: Math.max(0, machineMs - server.cpuMs - clientCpuMs),
    };
  }
}

interface Moment {
  readonly atMs: number;
  readonly server: ReturnType<typeof sampleCpu>;
  readonly clientMs: number;
  readonly machineMs: number;
}

function moment(serverPid: number, atMs: number): Moment {
  const { user, system } = process.cpuUsage();
  return {
    atMs,
    server: sampleCpu(serverPid),
    clientMs: (user + system) / 1000,
    machineMs: sampleMachineMs(),
  };
}
