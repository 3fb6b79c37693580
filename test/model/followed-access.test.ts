// Random changes of a network on two nodes: what a node that follows says of access is what its
// leader says, at any time.

import t from 'tap';
import type { Core } from '../../src/assembly/core.ts';
import { identityKind } from '../../src/records/identity.ts';
import { serviceKind } from '../../src/records/service.ts';
import { isNightly, modelSeeds } from '../campaigns.ts';
import { bootStandbyNetwork, type StandbyNetwork } from '../simulated/standby-network.ts';
import { randomOf } from './random-access.ts';

const seeds = modelSeeds({ usual: 2, nightly: 8 });
const changesCount = isNightly ? 600 : 150;
const attributes = ['a', 'b', 'c'];
const plurals = ['identities', 'services', 'service-policies', 'configs'] as const;

type Plural = (typeof plurals)[number];

for (const seed of seeds) {
  t.test(`seed ${seed}`, async (t) => {
    const network = await bootStandbyNetwork();
    const changes = new RandomChanges(network, randomOf(seed));
    await changes.begin();
    const lists = new Map<string, { readonly serial: number; readonly visible: string }>();
    const wrong: string[] = [];
    for (let step = 0; step < changesCount && wrong.length === 0; step++) {
      await network.advance(1);
      const what = await changes.make();
      const { standby } = network;
      for (const difference of differences(network.core, standby, lists)) {
        wrong.push(`step ${step}, ${what}: ${difference}`);
      }
    }
    const replay = `EDGE_SEED=${seed} npm test test/model/followed-access.test.ts`;
    t.same(wrong, [], replay);
    await network.stop();
  });
}

/** Each identity's stamp on both nodes, and its list of services, if the stamp did not change. */
function* differences(
  leader: Core,
  follower: Core,
  lists: Map<string, { readonly serial: number; readonly visible: string }>,
): Generator<string> {
  const { store, access } = follower.env;
  for (const { id, slot } of store.table(identityKind).all()) {
    const [here, there] = [follower, leader].map((core) => {
      const own = core.env.store.table(identityKind).peek(id)?.slot ?? -1;
      return core.env.access.changeStamps.at(own);
    });
    // What a follower has recovered is no change.
    if (here !== undefined && here !== there) yield `the stamp of ${id} is ${here}, not ${there}`;
    const serial = access.changeStamps.serialOf(slot);
    const known = lists.get(id);
    const visible = visibleTo(follower, slot);
    if (known?.serial === serial && known.visible !== visible) yield `${id} has no new stamp`;
    lists.set(id, { serial, visible });
  }
}

function visibleTo({ env: { access, store } }: Core, identity: number): string {
  const { slots, bits } = access.permissions.visible(identity);
  const services = store.table(serviceKind);
  return [...slots]
    .map((slot, at) => `${services.at(slot)?.id} ${bits[at]}`)
    .sort()
    .join();
}

/** Draws changes that clients could ask for. */
class RandomChanges {
  readonly #network: StandbyNetwork;
  readonly #random: (below: number) => number;
  readonly #ids: Record<Plural, string[]> = {
    identities: [],
    services: [],
    'service-policies': [],
    configs: [],
  };
  #typeId = '';
  #named = 0;

  constructor(network: StandbyNetwork, random: (below: number) => number) {
    this.#network = network;
    this.#random = random;
  }

  async begin(): Promise<void> {
    this.#typeId = await this.#network.create('config-types', { name: 'type' });
    for (let count = 0; count < 4; count++) {
      await this.#create('configs');
      await this.#create('identities');
      await this.#create('services');
      await this.#create('service-policies');
    }
  }

  /** Makes one change, and says which. */
  async make(): Promise<string> {
    const plural = this.#one(plurals) ?? 'identities';
    const ids = this.#ids[plural];
    const draw = this.#random(6);
    if (draw === 0 || ids.length < 2) return await this.#create(plural);
    const at = this.#random(ids.length);
    const id = ids[at] ?? '';
    if (draw === 1 && plural !== 'configs') {
      ids.splice(at, 1);
      await this.#network.must('DELETE', `M:/${plural}/${id}`);
      return `DELETE ${plural}`;
    }
    if (draw === 2 && plural === 'identities') {
      const override = [
        { serviceId: this.#one(this.#ids.services), configId: this.#one(this.#ids.configs) },
      ];
      await this.#network.must('POST', `M:/identities/${id}/service-configs`, override);
      return 'POST service-configs';
    }
    const body = this.#bodyOf(plural);
    await this.#network.must('PATCH', `M:/${plural}/${id}`, body);
    return `PATCH ${plural} ${JSON.stringify(body)}`;
  }

  async #create(plural: Plural): Promise<string> {
    const fixed = {
      identities: { type: 'Default', isAdmin: false },
      services: { encryptionRequired: true },
      'service-policies': { type: this.#random(2) === 0 ? 'Dial' : 'Bind', semantic: 'AnyOf' },
      configs: { configTypeId: this.#typeId },
    }[plural];
    const body = { ...fixed, ...this.#bodyOf(plural) };
    this.#ids[plural].push(await this.#network.create(plural, body));
    return `POST ${plural}`;
  }

  #bodyOf(plural: Plural): object {
    this.#named += 1;
    const name = `${plural}-${this.#named}`;
    switch (plural) {
      case 'configs':
        return { name, data: { count: this.#named } };
      case 'service-policies':
        return {
          name,
          identityRoles: this.#roles('identities'),
          serviceRoles: this.#roles('services'),
        };
      case 'identities':
      case 'services':
        return { name, roleAttributes: attributes.filter(() => this.#random(2) === 0) };
    }
  }

  #roles(plural: 'identities' | 'services'): string[] {
    if (this.#random(8) === 0) return ['#all'];
    const roles = [`#${this.#one(attributes)}`, `@${this.#one(this.#ids[plural])}`];
    return roles.filter(() => this.#random(2) === 0);
  }

  #one<T>(from: readonly T[]): T | undefined {
    return from[this.#random(from.length)];
  }
}
