// Random commands of a person, and their model beside it.

import { setImmediate } from 'node:timers/promises';
import type { Person } from '../commands/network/person.ts';
import { type Draw, randomAttributes } from './posture-values.ts';
import {
  type ModelEntity,
  type ModelKind,
  type ModelPublication,
  modelKinds,
  type PublishModel,
} from './publish-model.ts';

/** Names of entities by kind, few, so that they meet and come again. */
const names = {
  id: ['i1', 'i2', 'i3'],
  er: ['r1', 'r2'],
  // A service that somebody created may have the name of a publication.
  svc: ['s1', 'n3'],
  sp: ['p1', 'p2'],
  serp: ['q1'],
  erp: ['e1', 'e2'],
} as const;
const publications = ['n1', 'n2', 'n3'];

/** A command, and what the model says that it does. */
interface Step {
  readonly words: readonly string[];
  /** @returns the exit code */
  model(): number;
}

/** Turns of the loop after which a controller is killed, within the time of one command. */
const turnsMax = 60;

/** A run of random commands. */
export class PublishRun {
  readonly #person: Person;
  readonly #model: PublishModel;
  readonly #draw: Draw;
  readonly #done = new Set<string>();
  /** The commands, with their exit codes. */
  readonly trace: string[] = [];

  constructor(person: Person, model: PublishModel, draw: Draw) {
    this.#person = person;
    this.#model = model;
    this.#draw = draw;
  }

  /** Gives a command. @returns what differs from the model */
  async change(): Promise<string[]> {
    return await this.#take(this.#step());
  }

  /**
   * Publishes while the controller is killed, and publishes once more, which goes on from there.
   * @param renew kills it and starts it again
   */
  async killedPublication(renew: () => Promise<void>): Promise<string[]> {
    const step = this.#publication();
    const killed = this.#person.types(step.words);
    for (let turns = this.#draw.below(turnsMax); turns > 0; turns--) await setImmediate();
    await renew();
    this.trace.push(`killed in: ${step.words.join(' ')}: ${(await killed).code}`);
    return await this.#take(step);
  }

  /** @returns what `list` and `access` say and the model does not, and the other way round */
  async compare(): Promise<string[]> {
    const { entities } = this.#model;
    const differences: string[] = [];
    for (const kind of modelKinds) {
      const listed = await this.#out('list', kind, '--columns', 'name', '--no-headers');
      const found = listed.split('\n').slice(0, -1);
      differences.push(...differencesOf(`list ${kind}`, found, [...entities[kind].keys()]));
    }
    const pairs = this.#model.pairs();
    const compare = async (kind: 'id' | 'svc' | 'er', name: string, wanted: readonly string[]) => {
      const found = await this.#pairs(kind, name);
      differences.push(...differencesOf(`access ${kind} ${name}`, found, wanted));
    };
    for (const name of entities.id.keys()) {
      await compare(
        'id',
        name,
        pairs.filter((pair) => pair.startsWith(`${name} `)),
      );
    }
    for (const name of entities.svc.keys()) {
      await compare(
        'svc',
        name,
        pairs.filter((pair) => pair.split(' ')[2] === name),
      );
    }
    for (const name of entities.er.keys()) await compare('er', name, this.#model.pairsOver(name));
    return differences;
  }

  /** Verbs that were not carried out once. */
  untried(): string[] {
    return ['create', 'delete', 'publish', 'unpublish'].filter((verb) => !this.#done.has(verb));
  }

  async #take({ words, model }: Step): Promise<string[]> {
    const { code, err } = await this.#person.types(words);
    this.trace.push(`${words.join(' ')}: ${code}`);
    const wanted = model();
    if (code === 0) this.#done.add(words[0] ?? '');
    return code === wanted ? [] : [`exit code ${code} instead of ${wanted}: ${err}`];
  }

  async #out(...words: readonly string[]): Promise<string> {
    const { code, out, err } = await this.#person.types(words);
    if (code !== 0) throw new Error(`${words.join(' ')}: ${err}`);
    return out;
  }

  async #pairs(kind: string, name: string): Promise<string[]> {
    const json = await this.#out('access', kind, name, '-o', 'json');
    interface Named {
      readonly name: string;
    }
    interface Pair {
      readonly identity: Named;
      readonly service: Named;
      readonly may: string;
      readonly policies: readonly Named[];
      readonly routers: { readonly total: number };
    }
    return (JSON.parse(json) as Pair[]).map(({ identity, service, may, policies, routers }) => {
      const by = policies.map((policy) => policy.name).sort();
      return `${identity.name} ${may} ${service.name} by ${by.join(',')} over ${routers.total}`;
    });
  }

  #step(): Step {
    const { below } = this.#draw;
    const sort = below(10);
    if (sort < 3) return this.#publication();
    if (sort < 5) {
      const name = this.#draw.pick(publications);
      return {
        words: ['unpublish', name, '--yes'],
        model: () => this.#model.unpublish(name),
      };
    }
    return sort < 8 ? this.#creation() : this.#deletion();
  }

  #publication(): Step {
    const name = this.#draw.pick(publications);
    const via = this.#draw.chance(2, 3) ? this.#roles(names.er) : [];
    const attributes = this.#draw.chance(1, 3) ? randomAttributes(this.#draw, 2) : [];
    const [to, hostOn] = [this.#roles(names.id), this.#roles(names.id)];
    const given: ModelPublication = { name, via, attributes, to, hostOn };
    const words = [
      'publish',
      `${name}.example:80`,
      '--name',
      name,
      '--yes',
      '--to',
      to.join(','),
      '--host-on',
      hostOn.join(','),
      ...(via.length > 0 ? ['--via', via.join(',')] : []),
      ...(attributes.length > 0 ? ['--role', attributes.join(',')] : []),
    ];
    return { words, model: () => this.#model.publish(given) };
  }

  #creation(): Step {
    const kind = this.#draw.pick(['id', 'er', 'svc', 'sp', 'serp', 'erp'] as const);
    const name = this.#draw.pick<string>(names[kind]);
    const { entity, flags } = this.#entity(kind);
    const model = () => this.#model.create(kind, name, entity);
    return { words: ['create', kind, name, ...flags], model };
  }

  #entity(kind: keyof typeof names): { entity: ModelEntity; flags: readonly string[] } {
    const semantic = this.#draw.pick(['AllOf', 'AnyOf'] as const);
    const policy = (roles: ModelEntity['roles'], flags: readonly string[]) => {
      return { entity: { semantic, roles }, flags: ['--semantic', semantic, ...flags] };
    };
    const [id, svc, er] = [names.id, [...names.svc, ...publications], names.er].map((all) =>
      this.#roles(all),
    ) as [string[], string[], string[]];
    const identities = ['--identity-roles', id.join(',')];
    const services = ['--service-roles', svc.join(',')];
    const routers = ['--edge-router-roles', er.join(',')];
    switch (kind) {
      case 'sp': {
        const type = this.#draw.pick(['Dial', 'Bind'] as const);
        const made = policy({ id, svc }, ['--type', type, ...identities, ...services]);
        return { ...made, entity: { ...made.entity, type } };
      }
      case 'erp':
        return policy({ id, er }, [...identities, ...routers]);
      case 'serp':
        return policy({ svc, er }, [...services, ...routers]);
      case 'id':
      case 'er':
      case 'svc': {
        const attributes = randomAttributes(this.#draw, 2);
        return { entity: { attributes }, flags: ['--roles', attributes.join(',')] };
      }
    }
  }

  #deletion(): Step {
    const { entities } = this.#model;
    const kind: ModelKind = this.#draw.pick(['id', 'er', 'svc', 'sp', 'serp', 'erp'] as const);
    const present = [...entities[kind].keys()].filter((name) => name !== 'admin');
    const name = this.#draw.oneOf(present) ?? 'nobody';
    return {
      words: ['delete', kind, name, '--yes'],
      model: () => this.#model.delete(kind, name),
    };
  }

  /** `#all`, or some attributes and names. */
  #roles(members: readonly string[]): string[] {
    if (this.#draw.chance(1, 8)) return ['#all'];
    const roles = [
      ...randomAttributes(this.#draw, 2).map((attribute) => `#${attribute}`),
      ...this.#draw.some(members, 1).map((name) => `@${name}`),
    ];
    return roles.length > 0 ? [...new Set(roles)] : ['#a'];
  }
}

function differencesOf(
  what: string,
  found: readonly string[],
  wanted: readonly string[],
): string[] {
  const left = JSON.stringify(found.toSorted());
  const right = JSON.stringify(wanted.toSorted());
  return left === right ? [] : [`${what}: ${left} instead of ${right}`];
}
