// Clients that create identities all the time, through whichever node answers, and try again as
// real clients do.

import { strict as assert } from 'node:assert';
import { setTimeout } from 'node:timers/promises';
import { type Api, connect, logIn, management } from '../client.ts';
import type { Endings } from '../endings.ts';
import type { Cluster } from './cluster.ts';

/** How long a client waits between two requests, in ms. */
const pauseMs = 40;

/** The clients, from the beginning until `end`. */
export class Traffic {
  readonly #cluster: Cluster;
  readonly #endings: Endings;
  readonly #acknowledged: string[] = [];
  readonly #running: Promise<void>[];
  #isOver = false;

  constructor(cluster: Cluster, endings: Endings, clients: number) {
    this.#cluster = cluster;
    this.#endings = endings;
    this.#running = Array.from({ length: clients }, (_, client) => this.#run(client));
    endings.teardown(() => this.#stop());
  }

  /** Ends it, and holds what was acknowledged against what a node has. */
  async end(api: Api): Promise<void> {
    await this.#stop();
    const names = (await api.all('identities')).map(({ name }) => String(name));
    const found = new Set(names);
    assert.equal(found.size, names.length, 'no name is there twice');
    const lost = this.#acknowledged.filter((name) => !found.has(name));
    assert.deepEqual(lost, [], 'nothing acknowledged is lost');
    assert.ok(this.#acknowledged.length > 50, `${this.#acknowledged.length} were acknowledged`);
  }

  async #stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  async #run(client: number): Promise<void> {
    let api: Api | undefined;
    let front = client;
    for (let number = 0; !this.#isOver; await setTimeout(pauseMs)) {
      const name = `traffic-${client}-${number}`;
      try {
        api ??= await this.#logIn(front);
        const body = { name, type: 'Default', isAdmin: false };
        const { status } = await api.call('POST', `${management}/identities`, body);
        // A name that is taken was created by an attempt whose answer was lost.
        if (status !== 201 && status !== 400) continue;
        this.#acknowledged.push(name);
        number += 1;
      } catch {
        api = undefined;
        front += 1;
      }
    }
  }

  async #logIn(front: number): Promise<Api> {
    const { nodes } = this.#cluster;
    const node = nodes[front % nodes.length];
    if (node === undefined) throw new Error('there is no such node');
    return await logIn(connect(this.#endings, node));
  }
}
