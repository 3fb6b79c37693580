// The closed loop: each connection sends its next request when its last answer has arrived. A
// window of the run is measured.

import { AnswerCheck } from './answer-check.ts';
import type { TakeAnswer } from './answer-reader.ts';
import { type Connection, openConnection, type Peer } from './connection.ts';
import type { Job, JobResult } from './job.ts';
import { Peers } from './peers.ts';
import { compileRequest, hostOf, type RequestBytes } from './request-bytes.ts';
import { type RunningLoop, runningLoops } from './running-loops.ts';
import { Window } from './window.ts';

/** Runs a job. Rejects when no connection can be opened; wrong answers are counted. */
export async function runClosedLoop(job: Job): Promise<JobResult> {
  return await (await openClosedLoop(job))();
}

/** Opens the connections of a job. @returns a function that runs the job over them */
export async function openClosedLoop(job: Job): Promise<() => Promise<JobResult>> {
  const loop = new ClosedLoop(job);
  await loop.open();
  return () => loop.run();
}

/** The largest share that the warm-up may take of requests that cannot be repeated. */
const warmUpShareMax = 1 / 4;

class ClosedLoop implements RunningLoop {
  readonly #job: Job;
  readonly #bytes: RequestBytes;
  readonly #check: AnswerCheck;
  readonly #window: Window;
  readonly #connections: Connection[] = [];
  readonly #senders: (() => void)[] = [];
  readonly #requestsMax: number;
  #sent = 0;
  #underWay = 0;
  #isEnded = false;
  #over: () => void = () => undefined;

  constructor(job: Job) {
    this.#job = job;
    this.#bytes = compileRequest(job.request, hostOf(job));
    this.#check = new AnswerCheck(job.expect, job.collectIds);
    this.#window = new Window(job);
    this.#requestsMax = Math.min(job.requestsMax, this.#bytes.distinct - job.firstRequest);
  }

  async open(): Promise<void> {
    const { connections, isFresh } = this.#job;
    const peers = new Peers(this.#job);
    for (let i = 0; i < connections; i++) {
      this.#senders.push(isFresh ? this.#freshSender(peers) : await this.#keptSender(peers.at(i)));
    }
  }

  async run(): Promise<JobResult> {
    const over = new Promise<void>((resolve) => {
      this.#over = resolve;
    });
    runningLoops.add(this);
    this.#window.start(performance.now());
    for (const next of this.#senders) next();
    if (this.#underWay > 0) await over;
    runningLoops.delete(this);
    this.#window.finish(performance.now());
    for (const connection of this.#connections) connection.close();
    return { sent: this.#sent, ...this.#window.figures(), ...this.#check.result() };
  }

  end(): void {
    this.#isEnded = true;
  }

  /** Opens a connection. The returned function sends its next request, if one is left. */
  async #keptSender(peer: Peer): Promise<() => void> {
    const buffer = this.#bytes.copy();
    let sentAt = 0;
    let number = 0;
    let isOpen = true;
    const next = (): void => {
      // It may have been closed while others were still being opened.
      if (!isOpen) return;
      const now = performance.now();
      const taken = this.#take(now);
      if (taken === undefined) return;
      number = taken;
      sentAt = now;
      connection.send(this.#bytes.fill(buffer, number + this.#job.firstRequest));
    };
    const connection = await openConnection(
      peer,
      (status, bytes, bodyOffset) => {
        this.#answer(sentAt, () => this.#check.take(number, status, bytes, bodyOffset));
        next();
        this.#endIfIdle();
      },
      (reason) => {
        isOpen = false;
        this.#break(reason);
      },
    );
    this.#connections.push(connection);
    return next;
  }

  /** The same with a new connection per request, which shows the certificate of its number. */
  #freshSender(peers: Peers): () => void {
    const buffer = this.#bytes.copy();
    const next = (): void => {
      const sentAt = performance.now();
      const number = this.#take(sentAt);
      if (number === undefined) return;
      let connection: Connection | undefined;
      const take: TakeAnswer = (status, bytes, bodyOffset) => {
        this.#answer(sentAt, () => this.#check.take(number, status, bytes, bodyOffset));
        connection?.close();
        next();
        this.#endIfIdle();
      };
      const place = number + this.#job.firstRequest;
      openConnection(peers.at(place), take, (reason) => this.#break(reason))
        .then((opened) => {
          connection = opened;
          opened.send(this.#bytes.fill(buffer, place));
        })
        .catch((error: unknown) => this.#break(String(error)));
    };
    return next;
  }

  /** The number of the next request; undefined if none is left. */
  #take(now: number): number | undefined {
    if (this.#isEnded || this.#sent >= this.#requestsMax || now >= this.#window.end)
      return undefined;
    this.#underWay += 1;
    return this.#sent++;
  }

  #answer(sentAt: number, check: () => void): void {
    const now = performance.now();
    this.#underWay -= 1;
    this.#window.note(now, now - sentAt, this.#sent >= this.#requestsMax * warmUpShareMax);
    // Runs after the latency is recorded, because the client's own work is not the server's
    // latency.
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
}
