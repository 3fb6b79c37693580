// Compares the links that routers know with those that the controller knows
// (behaviour/events#the-websocket).

import { encodeMessage, fabric } from '../../channel/messages/messages.ts';
import { atOnce } from '../../declare/lists/search.ts';
import type { ScalarSymbol } from '../../filter/scope.ts';
import type { InspectEnvironment } from '../../inspect/server/context.ts';
import {
  enterInspection,
  inspectionMs,
} from '../../inspect/server/inspections/inspect-operation.ts';
import {
  type Inspected,
  RouterInspections,
} from '../../inspect/server/inspections/router-inspections.ts';
import { linkIdOf, linkKind } from '../../records/link.ts';
import { routerKind } from '../../records/router.ts';
import type { ConnectedRouter } from '../../routers/router-feature.ts';
import { inSlices } from '../../turns/slices.ts';
import { chosen } from './chosen.ts';
import type { FabricAnswer, FabricMessage } from './fabric-peer.ts';
import { validations } from './fabric-types.ts';

/**
 * Answers how many routers are asked, and then what is found at each of them. It takes one of the
 * places of inspections.
 */
export function validateLinks(env: InspectEnvironment, filter: string): FabricAnswer {
  const routers = chosenRouters(env, filter);
  if (typeof routers === 'string') return answerOf({ success: false, message: routers });
  const leave = enterInspection(env);
  if (leave === undefined) {
    return answerOf({ success: false, message: 'too many inspections are under way' });
  }
  return {
    ...answerOf({ success: true, count: routers.length }),
    results: () => compared(env, routers).finally(leave),
  };
}

function answerOf(answer: { success: boolean; message?: string; count?: number }): FabricAnswer {
  const { message = '', count = 0 } = answer;
  return {
    contentType: validations['router-links'] + 1,
    body: encodeMessage(fabric.ValidationAnswer, { ...answer, message, count }),
  };
}

/** A connected router with its name. */
export interface NamedRouter {
  readonly router: ConnectedRouter;
  readonly name: string;
}

/** The connected routers that a filter takes, as those of lists, or why it is not valid. */
export function chosenRouters(env: InspectEnvironment, filter: string): NamedRouter[] | string {
  const table = env.store.table(routerKind);
  const named = Array.from(env.connectedRouters.all(), (router) => ({
    router,
    name: table.peek(router.id)?.record.name ?? '',
  }));
  return atOnce(chosen(named, filter, symbols, env.limits));
}

const symbols = new Map<string, ScalarSymbol<NamedRouter, undefined>>([
  ['id', { form: 'scalar', type: 'string', read: ({ router }) => router.id }],
  ['name', { form: 'scalar', type: 'string', read: ({ name }) => name }],
]);

async function compared(
  env: InspectEnvironment,
  routers: readonly NamedRouter[],
): Promise<FabricMessage[]> {
  const { clock } = env;
  const told: Inspected = { values: [], errors: [] };
  const endMs = clock.monotonic() + inspectionMs;
  const asked = routers.map(({ router }) => router);
  await new RouterInspections([wanted], told).ask(asked, () => endMs - clock.monotonic());
  return await inSlices(results(env, routers, told), clock, sliceMs);
}

/** What routers are asked for. */
const wanted = 'links';

function* results(
  env: InspectEnvironment,
  routers: readonly NamedRouter[],
  { values, errors }: Inspected,
): Generator<undefined, FabricMessage[]> {
  const answers = new Map<string, Answer>();
  for (const { appId, name, json } of values) {
    if (name === wanted) answers.set(appId, { links: linksIn(JSON.parse(json)) });
    yield undefined;
  }
  for (const error of errors) {
    const [routerId = ''] = error.split(': ', 1);
    answers.set(routerId, { error: error.slice(routerId.length) });
  }
  const messages: FabricMessage[] = [];
  for (const { router, name } of routers) {
    const fault = faultOf(env, router.id, answers.get(router.id) ?? {});
    const result = {
      routerId: router.id,
      routerName: name,
      validateSuccess: fault === '',
      message: fault,
    };
    messages.push({
      contentType: validations['router-links'] + 2,
      body: encodeMessage(fabric.ValidationResult, result),
    });
    yield undefined;
  }
  return messages;
}

/** What one router has answered: its links by id, or why there is no answer. */
interface Answer {
  readonly links?: ReadonlySet<string> | undefined;
  readonly error?: string;
}

/** What differs, in a sentence; empty if nothing does. */
function faultOf(
  env: InspectEnvironment,
  routerId: string,
  { links: known, error = '' }: Answer,
): string {
  if (known === undefined) return `the router has not told its links${error}`;
  const links = env.store.table(linkKind);
  const own = ['sourceRouter', 'destRouter'].flatMap((end) => [...links.members(end, routerId)]);
  const ids = new Set(own.map(({ id }) => linkIdOf(id)));
  const missing = own
    .filter(({ id, record }) => record.state === 'connected' && !known.has(linkIdOf(id)))
    .map(({ id }) => linkIdOf(id));
  const unknown = [...known].filter((id) => !ids.has(id));
  return [
    ...(missing.length === 0 ? [] : [`the router does not know ${shown(missing)}`]),
    ...(unknown.length === 0 ? [] : [`the controller does not know ${shown(unknown)}`]),
  ].join('; ');
}

/** The ids of the links in a router's answer. */
function linksIn(answer: unknown): ReadonlySet<string> | undefined {
  if (typeof answer !== 'object' || answer === null || !('links' in answer)) return undefined;
  const { links } = answer;
  // A router without links tells null.
  if (links === null) return new Set();
  if (!Array.isArray(links)) return undefined;
  return new Set(links.map((link: unknown) => idOf(link)));
}

/** Empty for what is no link. */
function idOf(link: unknown): string {
  const isLink = typeof link === 'object' && link !== null && 'id' in link;
  return isLink && typeof link.id === 'string' ? link.id : '';
}

function shown(ids: readonly string[]): string {
  const first = ids.slice(0, idsShownMax).map((id) => {
    if (id === '') return 'a link without an id';
    return id.length > shownIdCharactersMax ? `${id.slice(0, shownIdCharactersMax)}…` : id;
  });
  const more = ids.length - first.length;
  return first.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Ids of links in the sentence about one router. @bound per entity */
const idsShownMax = 10;
/** Characters of one of them; routers may say what they like. @bound per entity */
const shownIdCharactersMax = 200;

/** Results are made in slices of this length. */
const sliceMs = 2;
