// The open loop: requests arrive at a fixed rate however slow the answers are, and each latency
// counts from the moment at which the request should have been sent.

import { AnswerCheck } from './answer-check.ts';
import { Backlog } from './backlog.ts';
import { type Connection, openConnection } from './connection.ts';
import { Histogram } from './histogram.ts';
import type { Job, JobResult } from './job.ts';
import { Peers } from './peers.ts';
import { compileRequest, hostOf, type RequestBytes } from './request-bytes.ts';
import { type RunningLoop, runningLoops } from './running-loops.ts';
import { Window } from './window.ts';

/** A job of an open loop. */
export type OpenJob = Job & { readonly rate: number };

/** Runs a job that has a rate. Rejects if no connection can be opened. */
export async function runOpenLoop(job: OpenJob): Promise<JobResult> {
  return await (await openOpenLoop(job))(0);
}

/**
 * Opens the connections of a job. @returns a function that runs the job over them; `phase` is the
 * part of the time between two requests that passes before the first one, 0 to 1
 */
export async function openOpenLoop(job: OpenJob): Promise<(phase: number) => Promise<JobResult>> {
  const loop = new OpenLoop(job);
  await loop.open();
  return (phase) => loop.run(phase);
}

/** Requests that may wait unless the job says otherwise. */
export const backlogMaxDefault = 10_000;

/** How long the last answers are waited for after the window, when no more requests arrive. */
const drainTimeoutMs = 10_000;

/** Sends a request over an idle connection, or over a new connection per request. */
interface Sender {
  send(request: number, intendedAt: number): void;
}

class OpenLoop implements RunningLoop {
  readonly #job: OpenJob;
  readonly #bytes: RequestBytes;
  readonly #check: AnswerCheck;
  readonly #window: Window;
  readonly #lateness = new Histogram();
  readonly #backlog: Backlog;
  readonly #free: Sender[] = [];
  readonly #connections = new Set<Connection>();
  #underWay = 0;
  #senders = 0;
  #isOver = false;
  /** Nothing arrives after this time. */
  #until = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #over: () => void = () => undefined;

  constructor(job: OpenJob) {
    this.#job = job;
    this.#bytes = compileRequest(job.request, hostOf(job));
    this.#check = new AnswerCheck(job.expect, job.collectIds);
    this.#window = new Window(job);
    const requestsMax = Math.min(job.requestsMax, this.#bytes.distinct - job.firstRequest);
    this.#backlog = new Backlog(job.rate, requestsMax, job.backlogMax ?? backlogMaxDefault);
  }

  async open(): Promise<void> {
    const { connections, isFresh } = this.#job;
    const peers = new Peers(this.#job);
    for (let i = 0; i < connections; i++) {
      this.#free.push(isFresh ? this.#freshSender(peers) : await this.#keptSender(peers, i));
    }
    this.#senders = this.#free.length;
  }

  async run(phase: number): Promise<JobResult> {
    const { rate } = this.#job;
    const over = new Promise<void>((resolve) => {
      this.#over = resolve;
    });
    const start = performance.now();
    this.#window.start(start);
    this.#until = this.#window.end;
    this.#backlog.start(start + (phase / rate) * 1000);
    runningLoops.add(this);
    this.#pump();
    await over;
    runningLoops.delete(this);
    clearTimeout(this.#timer);
    this.#window.finish(performance.now());
    for (const connection of this.#connections) connection.close();
    return {
      sent: this.#backlog.sent,
      ...this.#window.figures(),
      ...this.#check.result(),
      arrivals: {
        rate,
        backlogMost: this.#backlog.most,
        isOverrun: this.#backlog.isOverrun,
        lateness: this.#lateness.sparse(),
      },
    };
  }

  /** No further request arrives; the run ends with the last answer. */
  end(): void {
    this.#until = Math.min(this.#until, performance.now());
    this.#pump();
  }

  /**
   * Sends the requests that are due as far as connections are free, and runs again when the next
   * request is due.
   */
  #pump(): void {
    const now = performance.now();
    if (this.#isOver) return;
    this.#window.tick(now);
    this.#backlog.arrive(Math.min(now, this.#until));
    const wasFree = this.#free.length > this.#backlog.waiting;
    while (this.#backlog.waiting > 0) {
      const sender = this.#free.pop();
      if (sender === undefined) break;
      const { request, intendedAt } = this.#backlog.take();
      // If connections were free, the request waited only for this process.
      if (wasFree) this.#lateness.record(now - intendedAt);
      this.#underWay += 1;
      sender.send(request, intendedAt);
    }
    this.#backlog.evaluate();
    clearTimeout(this.#timer);
    if (this.#backlog.isOverrun) this.#end();
    else if (now < this.#until && !this.#backlog.isSpent) {
      const next = Math.min(this.#backlog.nextAt, this.#until) - now;
      this.#timer = setTimeout(() => this.#pump(), Math.max(0, next));
    } else if (this.#underWay === 0 && this.#backlog.waiting === 0) this.#end();
    else {
      const patience = this.#until + drainTimeoutMs - now;
      this.#timer = setTimeout(() => this.#giveUp(), Math.max(0, patience));
    }
  }

  /**
   * Sends over connections that are kept alive, each with one request at a time. A connection that
   * the server closes while it is idle is reopened with the next request.
   */
  async #keptSender(peers: Peers, index: number): Promise<Sender> {
    const buffer = this.#bytes.copy();
    let connection: Connection | undefined;
    let underWay: { readonly request: number; readonly intendedAt: number } | undefined;
    const open = async (): Promise<Connection> => {
      const opened = await openConnection(
        peers.at(index),
        (status, bytes, bodyOffset) => {
          if (underWay === undefined) return;
          const { request, intendedAt } = underWay;
          underWay = undefined;
          this.#answered(sender, intendedAt, () => {
            this.#check.take(request, status, bytes, bodyOffset);
          });
        },
        (reason) => {
          this.#connections.delete(opened);
          connection = undefined;
          if (underWay !== undefined) this.#broken(true, reason);
        },
      );
      if (this.#isOver) opened.close();
      this.#connections.add(opened);
      return opened;
    };
    const send = (request: number, over: Connection): void =>
      over.send(this.#bytes.fill(buffer, request + this.#job.firstRequest));
    const sender: Sender = {
      send: (request, intendedAt) => {
        underWay = { request, intendedAt };
        if (connection !== undefined) return send(request, connection);
        open().then(
          (opened) => {
            connection = opened;
            send(request, opened);
          },
          (error: unknown) => this.#broken(true, String(error)),
        );
      },
    };
    connection = await open();
    return sender;
  }

  /** Sends each request over a new connection, whose handshake is part of the latency. */
  #freshSender(peers: Peers): Sender {
    const sender: Sender = {
      send: (request, intendedAt) => {
        const place = request + this.#job.firstRequest;
        let opened: Connection | undefined;
        openConnection(
          peers.at(place),
          (status, bytes, bodyOffset) => {
            if (opened !== undefined) this.#connections.delete(opened);
            opened?.close();
            this.#answered(sender, intendedAt, () => {
              this.#check.take(request, status, bytes, bodyOffset);
            });
          },
          (reason) => this.#broken(true, reason),
        )
          .then((connection) => {
            opened = connection;
            if (this.#isOver) return connection.close();
            this.#connections.add(connection);
            connection.send(this.#bytes.fill(this.#bytes.copy(), place));
          })
          .catch((error: unknown) => this.#broken(true, String(error)));
      },
    };
    return sender;
  }

  #answered(sender: Sender, intendedAt: number, check: () => void): void {
    const now = performance.now();
    this.#underWay -= 1;
    this.#window.noteIntended(now, intendedAt);
    check();
    this.#free.push(sender);
    this.#pump();
  }

  /** A connection has ended, with a request or without one. It is not replaced. */
  #broken(hadRequest: boolean, reason: string): void {
    this.#check.broken(reason);
    if (hadRequest) this.#underWay -= 1;
    this.#senders -= 1;
    if (this.#senders === 0) this.#end();
  }

  #giveUp(): void {
    // Requests that still wait mean that the server is too slow; missing answers mean that it has a
    // fault.
    if (this.#backlog.waiting > 0) this.#backlog.overrun();
    else this.#check.broken(`no answer ${drainTimeoutMs} ms behind the last request`);
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#over();
  }
}
