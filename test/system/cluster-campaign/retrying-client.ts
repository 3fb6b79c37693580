// A client that sends a request again until it is answered, as real ones do, and takes the answer
// "it is so already" for a yes if an earlier attempt may have been carried out.

import { setTimeout } from 'node:timers/promises';
import {
  type Answer,
  type Call,
  type Caller,
  client as clientApi,
  type Method,
  management,
} from '../client.ts';
import type { Dice } from '../dice.ts';
import { FrontClient, type Fronts } from './front-client.ts';

/** No fault lasts as long. */
const usualRetryForMs = 240_000;
/** Between two attempts; and as much again at most, by chance. */
const usualRetryPauseMs = 150;

/** A client that is not to send anything more. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** What retries have come to, of all clients together. */
export interface RetryCounts {
  /** Attempts whose outcome nobody knows. */
  unknown: number;
  /** Attempts of which the controller said that they were not carried out. */
  undone: number;
  /** Requests that an earlier attempt had carried out already. */
  doneBefore: number;
}

/** Options of a client. */
export interface RetryingOptions {
  readonly fronts: Fronts;
  /** The front to begin with. */
  readonly front: number;
  readonly dice: Dice;
  readonly counts: RetryCounts;
  /** Pauses this long before each request, by chance. */
  readonly paceMsMax?: number;
  /** A request without an answer for so long is a fault; four minutes when absent. */
  readonly retryForMs?: number;
  readonly retryPauseMs?: number;
  readonly connections?: number;
  /** A log-in of this user was sent, and may have been carried out. */
  readonly logInUnknown?: (username: string) => void;
}

/** One client. */
export class RetryingClient implements Caller {
  readonly #options: RetryingOptions;
  readonly #front: FrontClient;
  isStopped = false;

  constructor(options: RetryingOptions) {
    this.#options = options;
    this.#front = new FrontClient(options.fronts, options.front, options.connections);
  }

  /**
   * A request that was begun is sent until it is answered, also if the client is stopped meanwhile.
   * @throws Stopped; Error if no attempt was answered for a long time, or if answers contradict
   * each other
   */
  async call(method: Method, path: string, call: Call = {}): Promise<Answer> {
    const { dice, paceMsMax = 0 } = this.#options;
    if (paceMsMax > 0) await setTimeout(dice.integer(0, paceMsMax));
    if (this.isStopped) throw new Stopped();
    return await this.#answered(method, path, call);
  }

  async close(): Promise<void> {
    await this.#front.close();
  }

  async #answered(method: Method, path: string, call: Call): Promise<Answer> {
    const { counts, dice, retryForMs = usualRetryForMs } = this.#options;
    const { retryPauseMs = usualRetryPauseMs } = this.#options;
    const endMs = performance.now() + retryForMs;
    let mayBeDone = false;
    for (;;) {
      const outcome = await this.#front.attempt(method, path, call);
      if (outcome.is === 'answered') {
        if (mayBeDone) return await this.#settled(method, path, call, outcome.answer);
        return outcome.answer;
      }
      counts[outcome.is] += 1;
      if (outcome.is === 'unknown') {
        mayBeDone = true;
        this.#noteLogIn(path, call);
      }
      if (performance.now() >= endMs) {
        const what = `${method} ${path} had no answer for ${retryForMs} ms`;
        throw new Error(`${what}; at last ${outcome.said}`);
      }
      await setTimeout(retryPauseMs + dice.integer(0, retryPauseMs));
      await this.#front.moveOn();
    }
  }

  #noteLogIn(path: string, { body }: Call): void {
    if (!path.startsWith(`${clientApi}/authenticate`)) return;
    this.#options.logInUnknown?.(String((body as { readonly username: string }).username));
  }

  /** The answer that an earlier attempt would have had, if it was the one that was carried out. */
  async #settled(method: Method, path: string, call: Call, answer: Answer): Promise<Answer> {
    const { counts } = this.#options;
    const { status, error } = answer;
    if (isGone(method, path, status)) {
      counts.doneBefore += 1;
      return { ...answer, status: 200 };
    }
    if (method !== 'POST' || (status !== 400 && status !== 409)) return answer;
    // The log-in that follows shows whether it is there.
    if (path === `${management}/authenticators`) {
      counts.doneBefore += 1;
      return { ...answer, status: 201 };
    }
    const { name } = (call.body ?? {}) as { readonly name?: unknown };
    if (typeof name !== 'string') return answer;
    const filter = encodeURIComponent(`name = "${name}"`);
    const found = await this.#answered('GET', `${path}?filter=${filter}`, { token: call.token });
    const [row] = found.data as unknown as readonly { readonly id: string }[];
    if (row === undefined) {
      throw new Error(`${name} was refused with ${JSON.stringify(error)}, and is not there`);
    }
    counts.doneBefore += 1;
    return { ...answer, status: 201, data: { id: row.id } };
  }
}

/** Whether a refusal says that what was to be deleted is not there any more. */
function isGone(method: Method, path: string, status: number): boolean {
  if (method !== 'DELETE') return false;
  return status === 404 || (status === 401 && path === `${clientApi}/current-api-session`);
}
