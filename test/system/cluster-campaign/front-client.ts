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
  | { readonly is: 'undone' }
  /** No answer came, or one that says that nobody knows. */
  | { readonly is: 'unknown' };

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
    const client = this.#client();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), answerMs);
    });
    let isRefused = false;
    const answered = client.call(method, path, call).catch((thrown) => {
      isRefused = (thrown as NodeJS.ErrnoException).code === 'ECONNREFUSED';
      return undefined;
    });
    const answer = await Promise.race([answered, late]);
    clearTimeout(timer);
    // The connection goes with the request, so that it is not carried out much later.
    if (answer === undefined) {
      if (this.#open?.client === client) this.#open = undefined;
      await client.close();
      return { is: isRefused ? 'undone' : 'unknown' };
    }
    if (answer.status !== 503 && answer.status !== 429) return { is: 'answered', answer };
    return { is: answer.error['code'] === 'OUTCOME_UNKNOWN' ? 'unknown' : 'undone' };
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
