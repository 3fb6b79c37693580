// What a client of a cluster wrote, and whether that is there afterwards: once, and nothing else.

import { strict as assert } from 'node:assert';
import { type Api, management } from '../client.ts';
import { until } from './server.ts';

/** Identities that were asked for. */
export class Writes {
  readonly #acknowledged = new Set<string>();
  /** Those of which it is not known whether they were made. */
  readonly #open = new Set<string>();
  #named = 0;

  /** Asks for one, with so much in it. @returns status and code of the answer; 0 for none */
  async create(api: Api, characters = 10): Promise<{ readonly status: number; code: string }> {
    const name = `identity-${this.#named++}`;
    const appData = { filler: 'x'.repeat(characters) };
    const body = { name, type: 'Default', isAdmin: false, appData };
    this.#open.add(name);
    const answer = await api
      .call('POST', `${management}/identities`, body)
      .catch(() => ({ status: 0, error: {} as { readonly code?: unknown } }));
    if (answer.status === 201) {
      this.#open.delete(name);
      this.#acknowledged.add(name);
    }
    return { status: answer.status, code: String(answer.error['code']) };
  }

  /** Asks for them until one is acknowledged. */
  async createAtLast(api: Api, characters = 10): Promise<void> {
    await until('an identity is created', async () => {
      return (await this.create(api, characters)).status === 201;
    });
  }

  /** Asserts that what was acknowledged is there, and nothing that nobody asked for. */
  async lookUp(api: Api): Promise<void> {
    const rows = await api.all('identities', 'name contains "identity-"');
    const names = rows.map(({ name }) => String(name));
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(
      [...this.#acknowledged].filter((name) => !names.includes(name)),
      [],
    );
    assert.deepEqual(
      names.filter((name) => !this.#acknowledged.has(name) && !this.#open.has(name)),
      [],
    );
  }
}

/** Reads something that takes records. @returns the status of the answer; 0 for none */
export async function look(api: Api): Promise<number> {
  const path = `${management}/identities?limit=1`;
  return await api.call('GET', path).then(
    ({ status }) => status,
    () => 0,
  );
}
