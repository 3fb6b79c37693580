// `get KIND NAME`: one entity, as a person reads it or as the API shows it.

import type { ProcessContext } from '../../../assembly/process-context.ts';
import type { Asking } from '../connection/asking.ts';
import {
  identityState,
  loginText,
  namedText,
  plainText,
  routerState,
  textAt,
} from '../kinds/columns.ts';
import type { KindRow } from '../kinds/kind.ts';
import { type Entity, entityNamed } from '../kinds/names.ts';
import { outputOrder, pairLines, writeEntity } from '../output/output.ts';
import { localTime } from '../output/times.ts';

/** Prints one entity. @throws CommandFailure */
export async function getEntity(
  asking: Asking,
  kind: KindRow,
  name: string,
  flags: Readonly<Record<string, unknown>>,
  context: ProcessContext,
): Promise<void> {
  const order = outputOrder(flags);
  const found = await entityNamed(asking, kind, name);
  const entity = await asking.get(kind, found.id);
  const isTable = order.form === 'table' || order.form === 'wide';
  const pairs = isTable ? await pairsOf(asking, kind, entity, context.clock.now()) : [];
  const text = () =>
    pairLines(pairs)
      .map((line) => `${line}\n`)
      .join('');
  await writeEntity(kind, entity, order, context, text);
}

type Pair = readonly [string, string];

async function pairsOf(
  asking: Asking,
  kind: KindRow,
  entity: Entity,
  nowMs: number,
): Promise<Pair[]> {
  const head: Pair[] = [...(kind.isNamed ? ([['name', textAt(entity, 'name')]] as const) : [])];
  const tail: Pair[] = [['created', localTime(textAt(entity, 'createdAt'))]];
  const tags = entity['tags'];
  if (typeof tags === 'object' && tags !== null && Object.keys(tags).length > 0) {
    tail.unshift([
      'tags',
      Object.entries(tags)
        .map(([key, value]) => `${key}=${plainText(value)}`)
        .join(','),
    ]);
  }
  const middle =
    kind.name === 'identity'
      ? await identityPairs(asking, entity, nowMs)
      : fieldPairs(kind, entity);
  return [...head, ['id', entity.id], ...middle, ...tail];
}

async function identityPairs(asking: Asking, entity: Entity, nowMs: number): Promise<Pair[]> {
  const username = textAt(entity, 'authenticators.updb.username');
  const login = loginText(entity, nowMs);
  const may = async (type: 'Dial' | 'Bind') => {
    const path = `/identities/${entity.id}/services?limit=1&policyType=${type.toLowerCase()}`;
    const answer = (await asking.ask('GET', path)) as {
      readonly meta: { readonly pagination: { readonly totalCount: number } };
    };
    return countText(answer.meta.pagination.totalCount, 'service');
  };
  const isAdmin = entity['isAdmin'] === true;
  return [
    ['state', identityState(entity)],
    ['roles', textAt(entity, 'roleAttributes')],
    ...(isAdmin ? ([['administrator', 'yes']] as const) : []),
    ['login', username === '' ? login : `${login} (${username})`],
    ['auth policy', textAt(entity, 'authPolicy.name')],
    ['online', textAt(entity, 'edgeRouterConnectionStatus') === 'online' ? 'yes' : 'no'],
    ['may dial', await may('Dial')],
    ['may bind', await may('Bind')],
  ];
}

/** `1 service`, `3 services`, `none`. */
export function countText(count: number, noun: string): string {
  if (count === 0) return 'none';
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The fields of a kind that have a value, with names in place of ids where the answer has them. */
function fieldPairs(kind: KindRow, entity: Entity): Pair[] {
  const isRouter = kind.name === 'edge-router' || kind.name === 'transit-router';
  const pairs: Pair[] = isRouter ? [['state', routerState(entity)]] : [];
  for (const { name, detail } of kind.fields) {
    if (name === 'name') continue;
    const text = valueText(entity, name, detail);
    if (text !== '') pairs.push([words(name), text]);
  }
  return pairs;
}

function valueText(entity: Entity, name: string, detail: string): string {
  const named = textAt(entity, `${name}.name`);
  return named === '' ? namedText(entity, detail) : named;
}

/** `roleAttributes` as `role attributes`. */
function words(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
