// One client of a cluster: it knows all fronts, and speaks with one at a time.

import { type Answer, type Call, Client, type Method } from '../client.ts';
import type { Serving } from '../process.ts';

/** The fronts, by their index. A front has another address after each start. */
export type Fronts = (index: number) => Pick<Serving, 'url' | 'ca'>;

/** A request without an answer after this time is given up, as many clients do. */
const answerMs = 8_000;

/** The outcome of a request. */
export type Outcome =
  | { readonly is: 'answered'; readonly answer: Answer }
  /** The controller says that it has not done it, or it was never asked. */
  | NoAnswer<'undone'>
  /** No answer came, or one that says that nobody knows. */
  | NoAnswer<'unknown'>;

interface NoAnswer<Is extends string> {
  readonly is: Is;
  /** Which front was asked, and what it said, as the end of a sentence. */
  readonly said: string;
}

/** Connections to one front, which are made again when the front has another address. */
export class FrontClient {
  readonly #fronts: Fronts;
  readonly #connections: number;
  #front: number;
  #open: { readonly url: string; readonly client: Client } | undefined;

  constructor(fronts: Fronts, front: number, connections = 1) {
    this.#fronts = fronts;
    this.#front = front;
    this.#connections = connections;
  }

  /** Sends a request once. */
  async attempt(method: Method, path: string, call?: Call): Promise<Outcome> {
    const front = this.#front;
    const client = this.#client();
    let said = `nothing for ${answerMs} ms`;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), answerMs);
    });
    let isRefused = false;
    const answered = client.call(method, path, call).catch((thrown) => {
      isRefused = (thrown as NodeJS.ErrnoException).code === 'ECONNREFUSED';
      said = String(thrown);
      return undefined;
    });
    const answer = await Promise.race([answered, late]);
    clearTimeout(timer);
    // The connection goes with the request, so that it is not carried out much later.
    if (answer === undefined) {
      if (this.#open?.client === client) this.#open = undefined;
      const words = `front ${front} said: ${said}`;
      await client.close();
      return { is: isRefused ? 'undone' : 'unknown', said: words };
    }
    const { status, error } = answer;
    if (status !== 503 && status !== 429) return { is: 'answered', answer };
    const is = error['code'] === 'OUTCOME_UNKNOWN' ? 'unknown' : 'undone';
    return { is, said: `front ${front} said: ${status} ${JSON.stringify(error)}` };
  }

  /** Goes to another front. */
  async moveOn(): Promise<void> {
    this.#front = (this.#front + 1) % 3;
    await this.close();
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.client.close();
  }

  #client(): Client {
    const at = this.#fronts(this.#front);
    if (this.#open?.url === at.url) return this.#open.client;
    void this.#open?.client.close();
    const client = new Client(at.url, at, this.#connections);
    this.#open = { url: at.url, client };
    return client;
  }
}
