// Fills the account of a data set at NATS, and empties it.

import { NatsLink } from '../../../src/cluster/nats/link.ts';
import { systemClock } from '../../../src/platform/clock-and-random.ts';
import { type NatsServers, until } from '../nats/server.ts';

const stream = 'FILLER';
/** Each size is sent until it is refused, so that nothing fits at last. */
const sizesBytes = [4_000_000, 400_000, 40_000, 4_000, 400] as const;

/** A stream beside the log, in the same account. */
export class FullAccount {
  readonly #link: NatsLink;

  constructor(servers: NatsServers) {
    this.#link = new NatsLink(servers.access('init'), systemClock, 'campaign');
  }

  /** Fills the account until it takes nothing more. @returns bytes that it took */
  async fill(): Promise<number> {
    await until('the stream that fills the account is made', async () => {
      await this.#link.ask(({ api }) => api.streams.add({ name: stream, subjects: ['filler'] }));
      return true;
    });
    return await this.fillUp();
  }

  /** The same once more: what was purged meanwhile has made room. */
  async fillUp(): Promise<number> {
    let bytes = 0;
    for (const size of sizesBytes) while (await this.#takes(size)) bytes += size;
    return bytes;
  }

  /** Removes what filled it. */
  async empty(): Promise<void> {
    await until('the stream that fills the account is gone', async () => {
      // A deletion without an answer may have been carried out.
      await this.#link.ask(({ api }) => api.streams.delete(stream)).catch(() => undefined);
      const streams = this.#link.ask(({ api }) => api.streams.names().next());
      return !(await streams).includes(stream);
    });
    await this.#link.close();
  }

  async #takes(size: number): Promise<boolean> {
    let isFull = false;
    await until('the account takes a message or is full', async () => {
      try {
        const bytes = new Uint8Array(size);
        await this.#link.ask(({ api }) => api.jetstream().publish('filler', bytes));
      } catch (thrown) {
        isFull = /resource|limit|maximum/i.test(String(thrown));
        if (!isFull) throw thrown;
      }
      return true;
    });
    return !isFull;
  }
}
