// Fills the account of a data set at NATS, and empties it.

import { NatsLink } from '../../../src/cluster/nats/link.ts';
import { systemClock } from '../../../src/system.ts';
import type { NatsServers } from '../nats/server.ts';

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
    await this.#link.ask(({ api }) => api.streams.add({ name: stream, subjects: ['filler'] }));
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
    await this.#link.ask(({ api }) => api.streams.delete(stream));
    await this.#link.close();
  }

  async #takes(size: number): Promise<boolean> {
    const { api } = await this.#link.connected();
    try {
      await api.jetstream().publish('filler', new Uint8Array(size));
      return true;
    } catch (thrown) {
      if (/resource|limit|maximum/i.test(String(thrown))) return false;
      throw thrown;
    }
  }
}
