// Somebody else's stream in the account of a cluster, which takes the room of the log.

import { StorageType } from '@nats-io/jetstream';
import { NatsLink } from '../../../src/cluster/nats/link.ts';
import { systemClock } from '../../../src/platform/clock-and-random.ts';
import { type NatsServers, until } from './server.ts';

/** Bytes of its messages: large ones first, then small ones for what is left. */
const sizes = [100_000, 10_000, 1000, 100, 0];

const name = 'FILLER';

/** A stream that takes all room. */
export class Filler {
  readonly #link: NatsLink;

  private constructor(link: NatsLink) {
    this.#link = link;
  }

  static async open(servers: NatsServers): Promise<Filler> {
    const link = new NatsLink(servers.access('init'), systemClock, 'check');
    await until('the stream is made', async () => {
      await link.ask(({ api }) =>
        api.streams.add({ name, subjects: ['filler'], storage: StorageType.File }),
      );
      return true;
    });
    return new Filler(link);
  }

  /** Publishes until not even a message without content is taken. */
  async fill(): Promise<void> {
    for (const size of sizes) while (await this.#isTaken(Buffer.alloc(size)));
  }

  /** Gives back all room. */
  async remove(): Promise<void> {
    await this.#link.ask(({ api }) => api.streams.delete(name));
    await this.#link.close();
  }

  async #isTaken(body: Buffer): Promise<boolean> {
    return await this.#link
      .ask(({ api }) => api.jetstream().publish('filler', body))
      .then(
        () => true,
        () => false,
      );
  }
}
