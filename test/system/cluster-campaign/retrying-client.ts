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
const retryForMs = 240_000;
/** Between two attempts; and as much again at most, by chance. */
const retryPauseMs = 150;

/** A client that is not to send anything more. */
class Stopped extends Error {
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

  /** @throws Stopped; Error if no attempt was answered for a long time */
  async call(method: Method, path: string, call: Call = {}): Promise<Answer> {
    const { counts, dice, paceMsMax = 0 } = this.#options;
    if (paceMsMax > 0) await setTimeout(dice.integer(0, paceMsMax));
    if (this.isStopped) throw new Stopped();
    const endMs = performance.now() + retryForMs;
    let mayBeDone = false;
    while (performance.now() < endMs) {
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
      await setTimeout(retryPauseMs + dice.integer(0, retryPauseMs));
      await this.#front.moveOn();
    }
    throw new Error(`${method} ${path} had no answer for ${retryForMs} ms`);
  }

  async close(): Promise<void> {
    await this.#front.close();
  }

  #noteLogIn(path: string, { body }: Call): void {
    if (!path.startsWith(`${clientApi}/authenticate`)) return;
    this.#options.logInUnknown?.(String((body as { readonly username: string }).username));
  }

  /** The answer that an earlier attempt would have had, if it was the one that was carried out. */
  async #settled(method: Method, path: string, call: Call, answer: Answer): Promise<Answer> {
    const { status } = answer;
    const isGone = method === 'DELETE' && (status === 404 || status === 401);
    const isTaken = method === 'POST' && (status === 400 || status === 409);
    if (!isGone && !isTaken) return answer;
    this.#options.counts.doneBefore += 1;
    if (isGone) return { ...answer, status: 200 };
    if (path !== `${management}/identities`) return { ...answer, status: 201 };
    const { name } = call.body as { readonly name: string };
    const filter = encodeURIComponent(`name = "${name}"`);
    const found = await this.call('GET', `${path}?filter=${filter}`, { token: call.token });
    const [row] = found.data as unknown as readonly { readonly id: string }[];
    if (row === undefined) throw new Error(`${name} was refused, and is not there`);
    return { ...answer, status: 201, data: { id: row.id } };
  }
}
