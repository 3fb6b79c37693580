// Clients with one connection each, which ask for one thing after the other.

import { strict as assert } from 'node:assert';
import { Client as HttpClient } from 'undici';
import { management } from '../client.ts';
import type { Endings } from '../endings.ts';
import type { Serving } from '../process.ts';

/** A client with one connection that creates one identity after the other. */
export class Writer {
  readonly client: HttpClient;
  readonly created: string[] = [];
  readonly unknown: string[] = [];
  readonly undone: string[] = [];
  isOver = false;
  readonly #token: string;
  #connections = 0;

  constructor(endings: Endings, serving: Serving, token: string) {
    this.client = clientOf(endings, serving);
    this.client.on('connect', () => {
      this.#connections += 1;
    });
    this.#token = token;
  }

  /** Creates identities until it is over. @throws when an answer does not come */
  async work(prefix: string): Promise<void> {
    for (let n = 0; !this.isOver; n += 1) {
      const name = `${prefix}${n}`;
      const { statusCode, body } = await create(this.client, this.#token, name);
      const text = await body.text();
      if (statusCode === 201) this.created.push(name);
      else {
        assert.equal(statusCode, 503, text);
        (text.includes('OUTCOME_UNKNOWN') ? this.unknown : this.undone).push(name);
      }
    }
    assert.equal(this.#connections, 1, 'a connection was closed');
  }

  /** Asserts that what is there is what was answered. */
  compare(names: readonly string[]): void {
    const count = (wanted: string) => names.filter((name) => name === wanted).length;
    for (const name of this.created) assert.equal(count(name), 1, name);
    for (const name of this.unknown) assert.ok(count(name) <= 1, name);
    for (const name of this.undone) assert.equal(count(name), 0, name);
  }
}

/** A client with one connection that reads and writes until it is asked to leave. */
export class Visitor {
  isOver = false;
  isDismissed = false;
  answered = 0;
  readonly #client: HttpClient;
  readonly #token: string;

  constructor(endings: Endings, serving: Serving, token: string) {
    this.#client = clientOf(endings, serving);
    this.#token = token;
  }

  /** @throws when an answer does not come, or is none of success */
  async work(prefix: string): Promise<this> {
    while (!this.isOver && !this.isDismissed) {
      const { statusCode, headers, body } =
        this.answered % 2 === 0
          ? await read(this.#client, this.#token)
          : await create(this.#client, this.#token, `${prefix}${this.answered}`);
      assert.equal(statusCode, this.answered % 2 === 0 ? 200 : 201, await body.text());
      this.answered += 1;
      this.isDismissed = headers['connection'] === 'close';
    }
    await this.#client.destroy();
    return this;
  }
}

/** A list that each node answers by itself. */
const readPath = `${management}/config-types?limit=1`;

/** A client that has one connection at a time. */
function clientOf(endings: Endings, { url, ca }: Serving): HttpClient {
  const client = new HttpClient(url, { connect: { ca }, pipelining: 1, headersTimeout: 30_000 });
  endings.teardown(() => client.destroy());
  return client;
}

async function read(client: HttpClient, token: string) {
  const headers = { 'zt-session': token };
  return await client.request({ method: 'GET', path: readPath, headers });
}

async function create(client: HttpClient, token: string, name: string) {
  return await client.request({
    method: 'POST',
    path: `${management}/identities`,
    headers: { 'zt-session': token, 'content-type': 'application/json' },
    body: JSON.stringify({ name, type: 'Default', isAdmin: false }),
  });
}
