// The closed loop: each connection sends its next request when its answer is in; a window is
// measured.

import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { cpuBetween, sampleCpu, sampleMachineMs } from '../server/process-figures.ts';
import { AnswerCheck } from './answer-check.ts';
import type { TakeAnswer } from './answer-reader.ts';
import { type Connection, openConnection, type Peer } from './connection.ts';
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
    const { connections, warmUpMs, measureMs, isFresh } = this.#job;
    const peers = new Peers(this.#job);
    const lanes: (() => void)[] = [];
    for (let i = 0; i < connections; i++) {
      lanes.push(isFresh ? this.#freshLane(peers) : await this.#lane(peers.at(i)));
    }
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
  async #lane(peer: Peer): Promise<() => void> {
    const buffer = this.#bytes.copy();
    let sentAt = 0;
    let number = 0;
    const next = (): void => {
      const now = performance.now();
      const taken = this.#take(now, buffer);
      if (taken === undefined) return;
      number = taken;
      sentAt = now;
      connection.send(buffer);
    };
    const connection = await openConnection(
      peer,
      (status, bytes, bodyOffset) => {
        this.#answer(sentAt, () => this.#check.take(number, status, bytes, bodyOffset));
        next();
        this.#endIfIdle();
      },
      (reason) => this.#break(reason),
    );
    this.#connections.push(connection);
    return next;
  }

  /** The same with a connection a request, shown the certificate of that number. */
  #freshLane(peers: Peers): () => void {
    const buffer = this.#bytes.copy();
    const next = (): void => {
      const sentAt = performance.now();
      const number = this.#take(sentAt, buffer);
      if (number === undefined) return;
      let connection: Connection | undefined;
      const take: TakeAnswer = (status, bytes, bodyOffset) => {
        this.#answer(sentAt, () => this.#check.take(number, status, bytes, bodyOffset));
        connection?.close();
        next();
        this.#endIfIdle();
      };
      openConnection(peers.at(number + this.#job.firstRequest), take, (reason) =>
        this.#break(reason),
      )
        .then((opened) => {
          connection = opened;
          opened.send(buffer);
        })
        .catch((error: unknown) => this.#break(String(error)));
    };
    return next;
  }

  /** Makes `buffer` the next request; undefined when there is none. */
  #take(now: number, buffer: Buffer): number | undefined {
    if (this.#sent >= this.#requestsMax || now >= this.#windowEnd) return undefined;
    const number = this.#sent++;
    this.#bytes.fill(buffer, number + this.#job.firstRequest);
    this.#underWay += 1;
    return number;
  }

  #answer(sentAt: number, check: () => void): void {
    const now = performance.now();
    this.#underWay -= 1;
    this.#note(now, now - sentAt);
    // Behind the note: what the client does with an answer is not the server's latency.
    check();
  }

  #break(reason: string): void {
    this.#check.broken(reason);
    this.#underWay = Math.max(0, this.#underWay - 1);
    this.#endIfIdle();
  }

  #endIfIdle(): void {
    if (this.#underWay === 0) this.#over();
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

/** Whom the connections go to, and as whom. */
class Peers {
  readonly #job: Job;
  readonly #ca: Buffer;
  /** By certificate: making one costs the client as much as a handshake. */
  readonly #known: Peer[] = [];

  constructor(job: Job) {
    this.#job = job;
    this.#ca = readFileSync(job.caFile);
  }

  at(n: number): Peer {
    const { client, host, port } = this.#job;
    const turn = client === undefined ? 0 : n % client.chains.length;
    let known = this.#known[turn];
    if (known === undefined) {
      const own = client === undefined ? {} : { key: client.key, cert: client.chains[turn] };
      const context = createSecureContext({ ca: this.#ca, ...own });
      this.#known[turn] = known = { host, port, context };
    }
    return known;
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
