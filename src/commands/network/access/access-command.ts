// `access`: who may use a service, what an identity may use, or what leads over an edge router.

import { isObject } from '../../declarative/entry.ts';
import { CommandFailure } from '../command-failure.ts';
import { type Asking, pageRows, rowsOf } from '../connection/asking.ts';
import type { ConnectedCommand } from '../connection/connected-command.ts';
import { identityState, textAt } from '../kinds/columns.ts';
import type { KindRow } from '../kinds/kind.ts';
import { kindNamed, kindTyped } from '../kinds/kinds.ts';
import { type Entity, entityNamed, nameOf } from '../kinds/names.ts';
import { textsOf } from '../kinds/role-match.ts';
import { type ServiceCells, serviceCells } from '../kinds/service-cells.ts';
import {
  outputOrder,
  type RowShape,
  type ShapedOrder,
  selected,
  shapedWriter,
} from '../output/output.ts';
import type { Column } from '../output/table.ts';
import { type AccessPair, AccessPairs, type AccessSources } from './access-pairs.ts';

/** Kinds whose access is listed. */
const accessKinds = ['identity', 'service', 'edge-router'] as const;

/** Whether the posture checks of a pair pass; unknown where nobody has evaluated them. */
type PostureWord = 'passes' | 'fails' | 'unknown';

/** A pair as it is shown. */
interface AccessRow extends AccessPair {
  readonly address: string;
  /** Terminators of the service. */
  readonly hosts: number;
  readonly posture: PostureWord;
}

/** Prints the pairs of an identity, a service or an edge router. @throws CommandFailure */
export async function listAccess(
  { connection, flags, context }: ConnectedCommand,
  kindWord: string,
  name: string,
): Promise<void> {
  const kind = accessKindTyped(kindWord);
  const order = shapedOrder(flags);
  const shape = shapes[kind];
  selected(shape.plural, shape.columns(undefined), order);
  const entity = await entityNamed(connection, kindNamed(kind), name);
  const writer = await shapedWriter(shape, order, context);
  for await (const rows of pagesOf(connection, kind, entity)) {
    writer.page(rows, undefined);
    await context.drained();
    if (context.outIsClosed()) return;
  }
  writer.end();
}

type AccessKind = (typeof accessKinds)[number];

function accessKindTyped(word: string): AccessKind {
  const { name, plural } = kindTyped(word, 'list');
  const kind = accessKinds.find((one) => one === name);
  if (kind !== undefined) return kind;
  throw CommandFailure.wrong(
    `access does not exist for ${plural}: it takes ${accessKinds.join(', ')}.`,
  );
}

function shapedOrder(flags: ConnectedCommand['flags']): ShapedOrder {
  const { form, ...order } = outputOrder(flags);
  if (form !== 'name' && form !== 'id') return { ...order, form };
  throw CommandFailure.wrong(
    `-o is "${form}", but access lists pairs, which have no name: table, wide, json and yaml do.`,
  );
}

/** At least one page, so that the header of an empty table is printed. */
async function* pagesOf(
  asking: Asking,
  kind: AccessKind,
  entity: Entity,
): AsyncGenerator<AccessRow[]> {
  const sources = await sourcesOf(asking, kind, entity);
  const pairs = new AccessPairs(sources);
  switch (kind) {
    case 'identity': {
      const evaluates = await isAdministrator(asking);
      for await (const services of pages(asking, below('service', kind, entity))) {
        const found = [...pairs.of([entity], services)];
        yield rowsWith(found, await serviceCells(asking, services), evaluates);
      }
      return;
    }
    case 'service': {
      const cells = await serviceCells(asking, [entity]);
      for await (const identities of pages(asking, below('identity', kind, entity))) {
        yield rowsWith([...pairs.of(identities, [entity])], cells, false);
      }
      return;
    }
    case 'edge-router': {
      const services = await all(asking, below('service', kind, entity));
      const cells = await serviceCells(asking, services);
      for await (const identities of pages(asking, below('identity', kind, entity))) {
        yield rowsWith([...pairs.of(identities, services)], cells, false);
      }
    }
  }
}

/** The policies and routers from which the pairs of an entity are worked out. */
async function sourcesOf(asking: Asking, kind: AccessKind, entity: Entity): Promise<AccessSources> {
  const isRouter = kind === 'edge-router';
  return {
    servicePolicies: await all(asking, below('service-policy', kind, entity)),
    edgeRouterPolicies: await all(
      asking,
      kind === 'identity'
        ? below('edge-router-policy', kind, entity)
        : kindNamed('edge-router-policy'),
    ),
    serviceEdgeRouterPolicies: await all(
      asking,
      kind === 'service'
        ? below('service-edge-router-policy', kind, entity)
        : kindNamed('service-edge-router-policy'),
    ),
    routers: await all(
      asking,
      isRouter ? kindNamed('edge-router') : below('edge-router', kind, entity),
    ),
  };
}

/** The list of a kind below an entity: `/identities/7pQmKc0Zxa/services`. */
function below(kind: string, owner: AccessKind, { id }: Entity): KindRow {
  const row = kindNamed(kind);
  return { ...row, path: `${kindNamed(owner).path}/${encodeURIComponent(id)}${row.path}` };
}

async function all(asking: Asking, kind: KindRow): Promise<Entity[]> {
  const found: Entity[] = [];
  for await (const row of rowsOf(asking, kind, '')) found.push(row);
  return found;
}

/** The pages of a list, at least one, in the order of names. */
async function* pages(asking: Asking, kind: KindRow): AsyncGenerator<readonly Entity[]> {
  for (let offset = 0; ; ) {
    const { rows, total } = await asking.page(kind, { sort: 'name', limit: pageRows, offset });
    yield rows;
    offset += rows.length;
    if (rows.length === 0 || offset >= total) return;
  }
}

/** Only administrators see services with the eyes of another identity. */
async function isAdministrator(asking: Asking): Promise<boolean> {
  const answer = (await asking.ask('GET', '/current-identity')) as { readonly data: Entity };
  return answer.data['isAdmin'] === true;
}

function rowsWith(
  pairs: readonly AccessPair[],
  { addresses, hosts }: ServiceCells,
  evaluates: boolean,
): AccessRow[] {
  return pairs.map((pair) => ({
    ...pair,
    address: addresses.get(pair.service.id) ?? '',
    hosts: hosts.get(pair.service.id) ?? 0,
    posture: postureOf(pair, evaluates),
  }));
}

/** One policy whose checks pass is enough. @param evaluates whether the service has the results */
function postureOf({ policies, service }: AccessPair, evaluates: boolean): PostureWord {
  const isUnguarded = ({ postureCheckRoles }: Entity) => textsOf(postureCheckRoles).length === 0;
  if (policies.some(isUnguarded)) return 'passes';
  if (!evaluates) return 'unknown';
  const { postureQueries } = service;
  const sets = Array.isArray(postureQueries) ? postureQueries.filter(isObject) : [];
  // The roles of a policy may select no check at all; then its checks pass.
  const failing = new Set(
    sets.filter(({ isPassing }) => isPassing === false).map(({ policyId }) => policyId),
  );
  return policies.every(({ id }) => failing.has(id)) ? 'fails' : 'passes';
}

type RowColumn = Column<AccessRow>;

const identityColumn: RowColumn = {
  title: 'IDENTITY',
  isFlexible: true,
  text: ({ identity }) => nameOf(identity),
};
const serviceColumn: RowColumn = {
  title: 'SERVICE',
  isFlexible: true,
  text: ({ service }) => nameOf(service),
};
const addressColumn: RowColumn = {
  title: 'ADDRESS',
  isFlexible: true,
  text: ({ address }) => address,
};
const hostsColumn: RowColumn = { title: 'HOSTS', text: ({ hosts }) => String(hosts) };
const postureColumn: RowColumn = { title: 'POSTURE', text: ({ posture }) => posture };
const stateColumn: RowColumn = { title: 'STATE', text: ({ identity }) => identityState(identity) };
const linkColumns: readonly RowColumn[] = [
  { title: 'MAY', text: ({ may }) => may },
  {
    title: 'BY POLICY',
    isFlexible: true,
    text: ({ policies }) => policies.map(nameOf).join(', '),
  },
  {
    title: 'ROUTERS ONLINE',
    text: ({ routers: { online, total } }) => (total === 0 ? 'none' : `${online} of ${total}`),
  },
];
const wide = { isWide: true } as const;

const columnsByKind: Readonly<Record<AccessKind, readonly RowColumn[]>> = {
  identity: [serviceColumn, addressColumn, ...linkColumns, hostsColumn, postureColumn],
  service: [
    identityColumn,
    ...linkColumns,
    stateColumn,
    { ...hostsColumn, ...wide },
    { ...postureColumn, ...wide },
  ],
  'edge-router': [
    identityColumn,
    serviceColumn,
    ...linkColumns,
    hostsColumn,
    stateColumn,
    { ...addressColumn, ...wide },
    { ...postureColumn, ...wide },
  ],
};

const shapes: Readonly<Record<AccessKind, RowShape<AccessRow, undefined>>> = {
  identity: shapeOf('identity'),
  service: shapeOf('service'),
  'edge-router': shapeOf('edge-router'),
};

function shapeOf(kind: AccessKind): RowShape<AccessRow, undefined> {
  return { plural: 'pairs', columns: () => columnsByKind[kind], shown: shownRow };
}

/** A pair as data. */
function shownRow({ identity, service, may, policies, ...row }: AccessRow): object {
  const named = (entity: Entity) => ({ id: entity.id, name: textAt(entity, 'name') });
  return {
    identity: { ...named(identity), disabled: identity['disabled'] === true },
    service: { ...named(service), address: row.address },
    may,
    policies: policies.map(named),
    routers: row.routers,
    hosts: row.hosts,
    posture: row.posture,
  };
}
