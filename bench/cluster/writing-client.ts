// A client that writes one identity after the other. It tries each write again until it is
// answered, and goes to the address of the next node when its own does not take it.

import { setTimeout as sleep } from 'node:timers/promises';
import { Client, management } from '../../test/system/client.ts';
import type { Serving } from '../../test/system/process.ts';

/** Where a client writes, and what. */
export interface WritingClientOptions {
  /** All nodes, of which it tries `first` first. */
  readonly nodes: readonly Pick<Serving, 'url' | 'ca'>[];
  readonly first: number;
  /** Of an API session of an administrator. */
  readonly token: string;
  /** The names of its identities begin with it. */
  readonly prefix: string;
}

/** Between two writes, so that three clients load no machine. */
const writePauseMs = 20;
/** Before a write is tried again. */
const retryPauseMs = 50;
/** A client that waits longer for an answer waits for ever. */
const patienceMs = 60_000;

/** Statuses by which a controller says that a client shall try again. */
const retriedStatuses: readonly number[] = [429, 502, 503];

interface Wait {
  readonly sinceMs: number;
  readonly resolve: (answeredMs: number) => void;
}

/** It writes from `run` to `stop`. Times are those of `performance.now()`. */
export class WritingClient {
  readonly #options: WritingClientOptions;
  readonly #connections: readonly Client[];
  readonly #acknowledged: string[] = [];
  readonly #answeredMs: number[] = [];
  readonly #wrongs: string[] = [];
  readonly #waits = new Set<Wait>();
  #at: number;
  #isStopped = false;

  constructor(options: WritingClientOptions) {
    this.#options = options;
    this.#at = options.first;
    this.#connections = options.nodes.map(({ url, ca }) => new Client(url, { ca }, 1));
  }

  /** Names of the identities whose creation was answered. */
  get acknowledged(): readonly string[] {
    return this.#acknowledged;
  }

  /** Answers that no controller should give, in words. */
  get wrongs(): readonly string[] {
    return this.#wrongs;
  }

  /** Writes until `stop`. */
  async run(): Promise<void> {
    for (let number = 0; !this.#isStopped; number++) {
      await this.#write(`${this.#options.prefix}-${number}`);
      await sleep(writePauseMs);
    }
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  /** Ends after the write under way. */
  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Resolves with the time of the first answer to an attempt that begins after `sinceMs`. What a
   * node has answered before it was killed may still arrive, and does not count.
   * @throws Error when there is none for a minute
   */
  async answeredSince(sinceMs: number): Promise<number> {
    const late = new AbortController();
    const answered = new Promise<number>((resolve) => this.#waits.add({ sinceMs, resolve }));
    const never = sleep(patienceMs, undefined, { signal: late.signal }).then(() => {
      throw new Error(`no write was answered within ${patienceMs} ms`);
    });
    never.catch(() => undefined);
    try {
      return await Promise.race([answered, never]);
    } finally {
      late.abort();
    }
  }

  /** The longest time without an answer that ended after `sinceMs`, in ms. */
  longestPauseSince(sinceMs: number): number {
    const pauses = this.#answeredMs.map((atMs, index) =>
      atMs < sinceMs ? 0 : atMs - (this.#answeredMs[index - 1] ?? atMs),
    );
    return Math.max(0, ...pauses);
  }

  async #write(name: string): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const begunMs = performance.now();
      const status = await this.#attempt(name);
      // A former attempt was carried out, and its answer was lost.
      const isTaken = attempt > 0 && status === 400;
      if (status === 201 || isTaken) {
        this.#acknowledged.push(name);
        this.#note(begunMs, performance.now());
        return;
      }
      if (status === undefined) this.#at = (this.#at + 1) % this.#connections.length;
      else if (!retriedStatuses.includes(status)) {
        this.#wrongs.push(`${name}: status ${status}`);
        return;
      }
      await sleep(retryPauseMs);
    }
  }

  /** The status of the answer; undefined if there was none. */
  async #attempt(name: string): Promise<number | undefined> {
    const body = { name, type: 'Default', isAdmin: false };
    const { token } = this.#options;
    try {
      const connection = this.#connections[this.#at];
      return (await connection?.call('POST', `${management}/identities`, { token, body }))?.status;
    } catch {
      return undefined;
    }
  }

  #note(begunMs: number, answeredMs: number): void {
    this.#answeredMs.push(answeredMs);
    for (const wait of this.#waits) {
      if (begunMs < wait.sinceMs) continue;
      this.#waits.delete(wait);
      wait.resolve(answeredMs);
    }
  }
}
