// Whatever happens, a router knows the API sessions that may use it and no others: compared with
// what the records say.

import t from 'tap';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { edge } from '../../../src/channel/messages/messages.ts';
import { apiSessionKind } from '../../../src/records/api-session.ts';
import { modelSeeds } from '../../campaigns.ts';
import { SimulatedRandom } from '../../simulated/random.ts';
import type { RecordedRouter } from '../../simulated/routers.ts';
import { SyncedNetwork, syncStateOf, type User } from './synced-network.ts';

const attributes = ['a', 'b', 'c'];
const routerNames = ['r1', 'r2', 'r3'];

/** What a router does with what it is told. */
class RouterTable {
  readonly tokens = new Set<string>();
  #open: { readonly id: string; readonly seen: Set<string> } | undefined;

  take({ channel }: RecordedRouter): void {
    for (const { contentType, body = Buffer.alloc(0), headers } of channel.sent.splice(0)) {
      if (contentType === contentTypes.apiSessionAdded) {
        const { isFullState, apiSessions } = edge.ApiSessionAdded.decode(body);
        const tokens = apiSessions.map(({ token }) => token ?? '');
        for (const token of tokens) this.tokens.add(token);
        const { id, isLast } = syncStateOf(headers);
        if (!isFullState) for (const token of tokens) this.#open?.seen.add(token);
        else this.#part(id, isLast, tokens);
      } else if (contentType === contentTypes.apiSessionRemoved) {
        for (const token of edge.ApiSessionRemoved.decode(body).tokens) this.tokens.delete(token);
      }
    }
  }

  #part(id: string, isLast: boolean, tokens: readonly string[]): void {
    if (this.#open === undefined || id > this.#open.id) this.#open = { id, seen: new Set() };
    for (const token of tokens) this.#open.seen.add(token);
    if (!isLast) return;
    for (const token of this.tokens) if (!this.#open.seen.has(token)) this.tokens.delete(token);
    this.#open = undefined;
  }
}

class Model {
  readonly synced: SyncedNetwork;
  readonly #random: SimulatedRandom;
  readonly #users: { readonly name: string; readonly id: string }[] = [];
  readonly #live: User[] = [];
  readonly #policies: string[] = [];
  readonly #routerIds: string[] = [];
  /** The tables outlive connections. */
  readonly #tables = new Map<string, RouterTable>();
  #count = 0;

  constructor(synced: SyncedNetwork, seed: number) {
    this.synced = synced;
    this.#random = new SimulatedRandom(`sync ${seed}`);
  }

  async begin(): Promise<void> {
    for (const name of routerNames) {
      const roleAttributes = this.#some();
      const id = await this.synced.network.create('edge-routers', { name, roleAttributes });
      this.#routerIds.push(id);
      this.#tables.set(id, new RouterTable());
    }
  }

  async step(): Promise<void> {
    const { synced } = this;
    const { network } = synced;
    const steps = [
      async () => {
        const name = `user-${this.#count++}`;
        const user = await synced.user(name, this.#some());
        this.#users.push({ name, id: user.id });
        this.#live.push(user);
      },
      async () => {
        const user = this.#one(this.#users);
        if (user !== undefined) this.#live.push({ ...user, ...(await synced.login(user.name)) });
      },
      async () => {
        const [user] = this.#live.splice(this.#below(this.#live.length), 1);
        if (user !== undefined) {
          await network.call('DELETE', 'C:/current-api-session', { token: user.token });
        }
      },
      async () => {
        const allow = (side: string) => synced.allow(`#${this.#attribute()}`, side);
        this.#policies.push(await allow(this.#below(4) === 0 ? '#all' : `#${this.#attribute()}`));
      },
      async () => {
        const id = this.#one(this.#policies);
        const side = this.#below(2) === 0 ? 'identityRoles' : 'edgeRouterRoles';
        const body = { [side]: [`#${this.#attribute()}`] };
        if (id !== undefined) await network.must('PATCH', `M:/edge-router-policies/${id}`, body);
      },
      async () => {
        const [id] = this.#policies.splice(this.#below(this.#policies.length), 1);
        if (id !== undefined) await network.must('DELETE', `M:/edge-router-policies/${id}`);
      },
      async () => {
        const path = `M:/edge-routers/${this.#one(this.#routerIds)}`;
        await network.must('PATCH', path, { roleAttributes: this.#some() });
      },
      async () => {
        const { id } = this.#one(this.#users) ?? {};
        if (id === undefined) return;
        await network.must('PATCH', `M:/identities/${id}`, { roleAttributes: this.#some() });
      },
      async () => this.#toggle(),
      async () => this.#toggle(),
      async () => synced.settle(),
      async () => network.advance(1100),
    ];
    await this.#one(steps)?.();
  }

  /** What is wrong; undefined if every connected router knows what it is to know. */
  async fault(): Promise<string | undefined> {
    await this.synced.network.advance(3000);
    await this.synced.settle();
    for (const [id, table] of this.#tables) {
      const router = this.synced.connected.get(id);
      if (router === undefined) continue;
      table.take(router);
      const expected = this.#expected(id);
      const [left, right] = [[...table.tokens].sort().join(), expected.sort().join()];
      if (left !== right) return `${this.synced.nameOf(id)} knows ${left} instead of ${right}`;
    }
    return undefined;
  }

  #expected(routerId: string): string[] {
    const { store, access, sealing } = this.synced.network.env;
    const router = store.tableNamed('router').peek(routerId)?.slot ?? -1;
    const tokens: string[] = [];
    for (const { record } of store.table(apiSessionKind).rows()) {
      const identity = store.tableNamed('identity').peek(record.identityId)?.slot ?? -1;
      if (record.state !== 'full' || !access.routers.of('identity', identity).includes(router)) {
        continue;
      }
      const place = { kind: 'apiSession', id: record.id, field: 'token' };
      tokens.push(sealing.open(record.token ?? '', place).toString());
    }
    return tokens;
  }

  async #toggle(): Promise<void> {
    const id = this.#one(this.#routerIds) ?? '';
    const connected = this.synced.connected.get(id);
    if (connected === undefined) await this.synced.connect(id);
    else {
      this.#tables.get(id)?.take(connected);
      this.synced.disconnect(connected);
    }
  }

  #some(): string[] {
    return attributes.filter(() => this.#below(2) === 0);
  }

  #attribute(): string {
    return this.#one(attributes) ?? '';
  }

  #one<T>(some: readonly T[]): T | undefined {
    return some[this.#below(some.length)];
  }

  #below(count: number): number {
    return count === 0 ? 0 : this.#random.bytes(4).readUInt32LE() % count;
  }
}

for (const seed of modelSeeds({ usual: 4, nightly: 100 })) {
  t.test(`routers know what they are to know, EDGE_SEED=${seed}`, async (t) => {
    const synced = await SyncedNetwork.boot({ seed });
    const model = new Model(synced, seed);
    await model.begin();
    for (let steps = 0; steps < 60; steps++) {
      await model.step();
      if (steps % 10 === 9) t.equal(await model.fault(), undefined, `after ${steps} steps`);
    }
    await synced.network.stop();
  });
}
