// A random life of a network whose routers subscribe to the model, and what each of them must know.

import type { Message } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { decodeMessage, edge } from '../../src/channel/messages/messages.ts';
import type { TrafficParts } from '../../src/routers/control-plane.ts';
import { createRouterModel } from '../../src/routers/model/router-model.ts';
import { createPublicKeys, type PublicKeysFeature } from '../../src/routers/public-keys.ts';
import type { RouterFeature } from '../../src/routers/router-feature.ts';
import type { Network } from '../simulated/network.ts';
import {
  bodyOf,
  handleWhole,
  RecordedChannel,
  type RecordedRouter,
  receivedFrame,
  recordedRouter,
} from '../simulated/routers.ts';
import { NaiveRouter } from './naive-router.ts';
import type { Draw } from './posture-values.ts';
import { truthFor } from './router-model-truth.ts';

/** The features of one controller: a node of a cluster has its own. */
interface Features {
  readonly env: unknown;
  readonly model: RouterFeature;
  readonly keys: PublicKeysFeature;
}

/** The features of all controllers of a test, as they are created. */
export class ModelTraffic {
  readonly #created: Features[] = [];

  /** For the options of a network. */
  readonly parts: TrafficParts = (context) => {
    const keys = createPublicKeys(context, context);
    const model = createRouterModel({ ...context, publicKeys: keys });
    this.#created.push({ env: context.env, model, keys });
    return { features: [], stop: () => model.stop() };
  };

  /** Those of the controller that leads. */
  of(network: Network): Features {
    const found = this.#created.find(({ env }) => env === network.env);
    if (found === undefined) throw new Error('the controller has no model');
    return found;
  }
}

/** A router of the run. */
interface Actor {
  readonly id: string;
  readonly naive: NaiveRouter;
  /** Undefined while it is not connected. */
  connection: RecordedRouter | undefined;
  hasAsked: boolean;
}

const attributes = ['a', 'b', 'c', 'd', 'e'];

/** One run. */
export class RouterModelRun {
  readonly network: Network;
  readonly traffic: ModelTraffic;
  readonly draw: Draw;
  readonly actors: Actor[] = [];
  /** What was done, newest last. */
  readonly trace: string[] = [];
  /** How often something happened: what never happens is not tested. */
  readonly seen = new Map<string, number>();
  readonly ids: Record<string, string[]> = {};
  /** What was sent before it was durable. */
  readonly early: string[] = [];
  #names = 0;

  constructor(network: Network, traffic: ModelTraffic, draw: Draw) {
    this.network = network;
    this.traffic = traffic;
    this.draw = draw;
  }

  /** Makes a few of everything. */
  async begin(): Promise<void> {
    for (let i = 0; i < 3; i++) {
      const target = i === 0 ? 'router' : 'service';
      await this.#create('config-types', { target, schema: {} });
    }
    for (let i = 0; i < 4; i++) await this.createConfig();
    for (let i = 0; i < 4; i++) await this.createRouter();
    for (let i = 0; i < 8; i++) await this.createIdentity();
    for (let i = 0; i < 5; i++) await this.createService();
    for (let i = 0; i < 3; i++) await this.createCheck();
    for (let i = 0; i < 4; i++) await this.createPolicy();
    for (let i = 0; i < 3; i++) await this.createGate();
  }

  async createConfig(): Promise<void> {
    const configTypeId = this.#one('config-types');
    await this.#create('configs', { configTypeId, data: { n: this.draw.below(100) } });
  }

  async createRouter(): Promise<void> {
    const id = await this.#create('edge-routers', {
      roleAttributes: this.#attributes(),
      isTunnelerEnabled: this.draw.below(4) === 0,
    });
    this.actors.push({ id, naive: new NaiveRouter(), connection: undefined, hasAsked: false });
  }

  async createIdentity(): Promise<void> {
    await this.#create('identities', {
      type: 'Default',
      isAdmin: false,
      roleAttributes: this.#attributes(),
      appData: this.draw.below(3) === 0 ? { n: this.draw.below(9) } : {},
      defaultHostingCost: this.draw.below(3),
    });
  }

  async createService(): Promise<void> {
    await this.#create('services', {
      encryptionRequired: this.draw.below(2) === 0,
      roleAttributes: this.#attributes(),
      configs: this.#serviceConfigs(),
    });
  }

  async createCheck(): Promise<void> {
    await this.#create('posture-checks', {
      typeId: 'MAC',
      macAddresses: this.#macAddresses(),
      roleAttributes: this.#attributes(),
    });
  }

  async createPolicy(): Promise<void> {
    await this.#create('service-policies', {
      type: this.draw.below(2) === 0 ? 'Dial' : 'Bind',
      ...this.#policyRoles(),
    });
  }

  async createGate(): Promise<void> {
    await this.#create('edge-router-policies', this.#gateRoles());
  }

  /** Changes something at random, mostly a little. */
  async change(): Promise<void> {
    const steps: readonly (readonly [weight: number, step: () => Promise<void>])[] = [
      [6, () => this.createIdentity()],
      [6, () => this.#delete('identities')],
      [8, () => this.#patch('identities', { roleAttributes: this.#attributes() })],
      [3, () => this.#rename('identities')],
      [4, () => this.#disable()],
      [5, () => this.#override()],
      [4, () => this.createService()],
      [4, () => this.#delete('services')],
      [6, () => this.#patch('services', { roleAttributes: this.#attributes() })],
      [4, () => this.#patch('services', { configs: this.#serviceConfigs() })],
      [2, () => this.#rename('services')],
      [3, () => this.createConfig()],
      [3, () => this.#delete('configs')],
      [8, () => this.#patch('configs', { data: { n: this.draw.below(100) } })],
      [1, () => this.#rename('config-types')],
      [2, () => this.createCheck()],
      [2, () => this.#delete('posture-checks')],
      [8, () => this.#changeCheck({ macAddresses: this.#macAddresses() })],
      [3, () => this.#changeCheck({ roleAttributes: this.#attributes() })],
      [4, () => this.createPolicy()],
      [4, () => this.#delete('service-policies')],
      [6, () => this.#patch('service-policies', this.#policyRoles())],
      [2, () => this.#rename('service-policies')],
      [2, () => this.createGate()],
      [2, () => this.#delete('edge-router-policies')],
      [3, () => this.#patch('edge-router-policies', this.#gateRoles())],
      [2, () => this.#patch('edge-routers', { roleAttributes: this.#attributes() })],
      [2, () => this.#patch('edge-routers', { configs: this.#some('configs', 2) })],
      [1, () => this.#rename('edge-routers')],
      [1, () => this.createRouter()],
      [1, () => this.#deleteRouter()],
    ];
    let at = this.draw.below(steps.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, step] of steps) {
      if (at < weight) return step();
      at -= weight;
    }
  }

  /** Something happens to a router. */
  disturb(): void {
    const actor = this.draw.pick(this.actors);
    switch (this.draw.below(6)) {
      case 0:
        this.note(`${actor.id} goes`);
        this.disconnect(actor);
        break;
      case 1:
        this.note(`${actor.id} loses a frame`);
        actor.connection?.channel.sent.shift();
        break;
      case 2:
        this.note(`${actor.id} renews`);
        if (actor.hasAsked) this.#ask(actor, true);
        break;
      case 3:
        this.note(`${actor.id} asks anew`);
        if (actor.connection !== undefined) this.#ask(actor, false);
        break;
      case 4:
        this.note(`${actor.id} does not read`);
        if (actor.connection !== undefined) actor.connection.channel.unsentBytes = 10_000_000;
        break;
      default:
        this.note(`${actor.id} forgets its model`);
        this.disconnect(actor);
        Object.assign(actor, { naive: new NaiveRouter() });
    }
  }

  /** Connects everybody, delivers everything, and compares. @returns the differences */
  async compare(): Promise<string[]> {
    for (const actor of this.actors) this.connect(actor);
    for (const { connection } of this.actors) {
      if (connection !== undefined) connection.channel.unsentBytes = 0;
    }
    // A router that has asked too often waits for a minute, and one that lost the last frame is
    // told the index, or finds out at the next change.
    for (let round = 0; round < 4; round++) {
      await this.settle();
      await this.network.advance(61_000);
      for (const actor of this.actors) if (actor.hasAsked) this.#ask(actor, false);
    }
    await this.settle();
    const differences: string[] = [...this.early];
    for (const { id, naive } of this.actors) {
      const { store } = this.network.env;
      const wanted = truthFor(store, id, this.traffic.of(this.network).keys).text();
      const found = naive.model.text();
      if (found === wanted) continue;
      const [has, needs] = [new Set(found.split('\n')), new Set(wanted.split('\n'))];
      for (const line of has) if (!needs.has(line)) differences.push(`${id} has ${line}`);
      for (const line of needs) if (!has.has(line)) differences.push(`${id} lacks ${line}`);
    }
    return differences;
  }

  /** Delivers what was sent until nothing is. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 50; turn++) {
      await this.network.advance(10);
      let isQuiet = true;
      for (const actor of this.actors) if (this.deliver(actor)) isQuiet = false;
      if (isQuiet && turn > 2) return;
    }
  }

  /** @returns whether something was delivered */
  deliver(actor: Actor): boolean {
    const messages = actor.connection?.channel.sent.splice(0) ?? [];
    let asks = false;
    for (const message of messages) asks = actor.naive.take(message) || asks;
    if (asks) this.#ask(actor, false);
    return messages.length > 0;
  }

  connect(actor: Actor): void {
    if (actor.connection !== undefined) return;
    const router = { ...recordedRouter(actor.id), channel: this.#channel(actor.id) };
    actor.connection = router;
    const { keys } = this.traffic.of(this.network);
    keys.greeted?.(router, decodeMessage(edge.ClientHello, Buffer.alloc(0)));
    this.#ask(actor, false);
  }

  /** Notes what leaves before it is durable. */
  #channel(routerId: string): RecordedChannel {
    const { journal } = this.network.core;
    return new WatchedChannel((index) => {
      if (index > journal.durableLsn) this.early.push(`${routerId} was told of ${index} too early`);
    });
  }

  disconnect(actor: Actor): void {
    const { connection } = actor;
    if (connection === undefined) return;
    actor.connection = undefined;
    actor.hasAsked = false;
    connection.channel.isClosed = true;
    const { keys, model } = this.traffic.of(this.network);
    keys.disconnected?.(connection);
    model.disconnected?.(connection);
  }

  /** The controller has died or stopped: all connections are gone. */
  lostController(): void {
    for (const actor of this.actors) {
      actor.connection = undefined;
      actor.hasAsked = false;
    }
  }

  /** How many full states all routers have taken. */
  get fulls(): number {
    return this.actors.reduce((sum, { naive }) => sum + naive.fulls, 0);
  }

  note(what: string): void {
    this.trace.push(what);
    if (this.trace.length > 60) this.trace.shift();
    const word = what.replace(/^\S+ /, '');
    this.seen.set(word, (this.seen.get(word) ?? 0) + 1);
  }

  #ask(actor: Actor, isRenewal: boolean): void {
    if (actor.connection === undefined) return;
    actor.hasAsked = true;
    this.network.env.store.fence.begin();
    const frame = receivedFrame(contentTypes.subscribeToModel, actor.naive.ask(isRenewal));
    const { model } = this.traffic.of(this.network);
    handleWhole(model.handlers.get(contentTypes.subscribeToModel), actor.connection, frame);
  }

  async #create(plural: string, body: object): Promise<string> {
    const name = `${plural}-${++this.#names}`;
    this.note(`${name} created`);
    const id = await this.network.create(plural, { name, ...body });
    (this.ids[plural] ??= []).push(id);
    return id;
  }

  async #delete(plural: string): Promise<void> {
    const id = this.#one(plural);
    if (id === '') return;
    this.note(`${id} of ${plural} deleted`);
    const { status } = await this.network.call('DELETE', `M:/${plural}/${id}`);
    // What is referred to stays.
    if (status < 300) this.ids[plural] = this.ids[plural]?.filter((one) => one !== id) ?? [];
  }

  async #deleteRouter(): Promise<void> {
    if (this.actors.length < 3) return;
    const actor = this.draw.pick(this.actors);
    this.note(`${actor.id} router deleted`);
    this.disconnect(actor);
    this.actors.splice(this.actors.indexOf(actor), 1);
    await this.network.call('DELETE', `M:/edge-routers/${actor.id}`);
    this.ids['edge-routers'] = this.ids['edge-routers']?.filter((one) => one !== actor.id) ?? [];
  }

  async #patch(plural: string, body: object): Promise<void> {
    const id = this.#one(plural);
    if (id === '') return;
    this.note(`${id} of ${plural} gets ${Object.keys(body).join()}`);
    await this.network.call('PATCH', `M:/${plural}/${id}`, { body });
  }

  /** A patch has to name the type. */
  async #changeCheck(body: object): Promise<void> {
    await this.#patch('posture-checks', { typeId: 'MAC', ...body });
  }

  async #rename(plural: string): Promise<void> {
    await this.#patch(plural, { name: `${plural}-${++this.#names}` });
  }

  async #disable(): Promise<void> {
    const id = this.#one('identities');
    if (id === '') return;
    const what = this.draw.below(2) === 0 ? 'disable' : 'enable';
    this.note(`${id} ${what}`);
    await this.network.call('POST', `M:/identities/${id}/${what}`, {
      body: { durationMinutes: 0 },
    });
  }

  async #override(): Promise<void> {
    const [id, serviceId] = [this.#one('identities'), this.#one('services')];
    const configId = this.#one('configs');
    if (id === '' || serviceId === '' || configId === '') return;
    const method = this.draw.below(3) === 0 ? 'DELETE' : 'POST';
    this.note(`${id} override ${method}`);
    const body = [{ serviceId, configId }];
    await this.network.call(method, `M:/identities/${id}/service-configs`, { body });
  }

  #one(plural: string): string {
    const known = this.ids[plural] ?? [];
    return known.length === 0 ? '' : this.draw.pick(known);
  }

  #some(plural: string, most: number): string[] {
    const found = new Set<string>();
    for (let left = this.draw.below(most + 1); left > 0; left--) {
      const id = this.#one(plural);
      if (id !== '') found.add(id);
    }
    return [...found];
  }

  #serviceConfigs(): string[] {
    // One per type at most, and none for routers.
    const found = new Map<string, string>();
    const { store } = this.network.env;
    for (const id of this.#some('configs', 2)) {
      const record = store.tableNamed('config').peek(id)?.record as
        | { readonly configTypeId?: string }
        | undefined;
      const type = record?.configTypeId ?? '';
      const target = store.tableNamed('configType').peek(type)?.record as
        | { readonly target?: string }
        | undefined;
      if (target?.target === 'service') found.set(type, id);
    }
    return [...found.values()];
  }

  #macAddresses(): string[] {
    return [`00:0${this.draw.below(9)}:aa:bb:cc:dd`];
  }

  #attributes(): string[] {
    return attributes.filter(() => this.draw.below(3) === 0);
  }

  #roles(plural: string): string[] {
    if (this.draw.below(8) === 0) return ['#all'];
    const roles = this.#attributes().map((name) => `#${name}`);
    if (this.draw.below(3) === 0) roles.push(...this.#some(plural, 2).map((id) => `@${id}`));
    return roles;
  }

  #policyRoles(): object {
    return {
      semantic: this.draw.below(3) === 0 ? 'AllOf' : 'AnyOf',
      identityRoles: this.#roles('identities'),
      serviceRoles: this.#roles('services'),
      postureCheckRoles: this.draw.below(2) === 0 ? this.#roles('posture-checks') : [],
    };
  }

  #gateRoles(): object {
    return {
      semantic: this.draw.below(3) === 0 ? 'AllOf' : 'AnyOf',
      identityRoles: this.#roles('identities'),
      edgeRouterRoles: this.#roles('edge-routers'),
    };
  }
}

/** Looks at the index of each message of the model that is sent. */
class WatchedChannel extends RecordedChannel {
  readonly #sent: (index: number) => void;

  constructor(sent: (index: number) => void) {
    super();
    this.#sent = sent;
  }

  override send(message: Message): void {
    const { contentType } = message;
    const body = bodyOf(message);
    if (contentType === contentTypes.modelState) this.#sent(edge.DataState.decode(body).endIndex);
    if (contentType === contentTypes.modelChanges) this.#sent(edge.ChangeSet.decode(body).index);
    super.send(message);
  }
}
