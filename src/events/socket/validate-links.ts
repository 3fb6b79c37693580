// Compares the links that routers know with those that the controller knows
// (behaviour/events#the-websocket).

import { encodeMessage, fabric } from '../../channel/messages/messages.ts';
import { StepBudget } from '../../filter/budget.ts';
import { compileQuery } from '../../filter/compile.ts';
import { parseQuery } from '../../filter/parse.ts';
import { FilterError, type ScalarSymbol } from '../../filter/scope.ts';
import type { InspectEnvironment } from '../../inspect/server/context.ts';
import {
  type Inspected,
  RouterInspections,
} from '../../inspect/server/inspections/router-inspections.ts';
import { linkIdOf, linkKind } from '../../records/link.ts';
import { routerKind } from '../../records/router.ts';
import type { ConnectedRouter } from '../../routers/router-feature.ts';
import type { FabricAnswer, FabricMessage } from './fabric-peer.ts';
import { validations } from './fabric-types.ts';

/** Answers how many routers are asked, and then what each has found. */
export function validateLinks(env: InspectEnvironment, filter: string): FabricAnswer {
  const routers = chosenRouters(env, filter);
  const isValid = typeof routers !== 'string';
  const answer = isValid
    ? { success: true, message: '', count: routers.length }
    : { success: false, message: routers, count: 0 };
  return {
    contentType: validations['router-links'] + 1,
    body: encodeMessage(fabric.ValidationAnswer, answer),
    ...(isValid && { results: () => compared(env, routers) }),
  };
}

interface NamedRouter {
  readonly router: ConnectedRouter;
  readonly name: string;
}

/** The connected routers that a filter takes, as those of lists, or why it is not valid. */
function chosenRouters(env: InspectEnvironment, filter: string): NamedRouter[] | string {
  const table = env.store.table(routerKind);
  const named = Array.from(env.connectedRouters.all(), (router) => ({
    router,
    name: table.peek(router.id)?.record.name ?? '',
  }));
  if (filter.trim() === '') return named;
  try {
    const { matches } = compileQuery(parseQuery(filter), {
      symbol: (name) => symbols.get(name),
      linked: () => undefined,
    });
    const budget = new StepBudget(env.limits);
    return named.filter((one) => matches === undefined || matches(one, undefined, budget));
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    return `the filter is not valid: ${error.message}`;
  }
}

const symbols = new Map<string, ScalarSymbol<NamedRouter, undefined>>([
  ['id', { form: 'scalar', type: 'string', read: ({ router }) => router.id }],
  ['name', { form: 'scalar', type: 'string', read: ({ name }) => name }],
]);

async function compared(
  env: InspectEnvironment,
  routers: readonly NamedRouter[],
): Promise<FabricMessage[]> {
  const told: Inspected = { values: [], errors: [] };
  const endMs = env.clock.monotonic() + answersMs;
  const asked = routers.map(({ router }) => router);
  await new RouterInspections(['links'], told).ask(asked, () => endMs - env.clock.monotonic());
  const byRouter = new Map(told.values.map(({ appId, value }) => [appId, value]));
  return routers.map(({ router: { id }, name }) => {
    const fault = faultOf(env, id, byRouter.get(id));
    const result = {
      routerId: id,
      routerName: name,
      validateSuccess: fault === '',
      message: fault,
    };
    return {
      contentType: validations['router-links'] + 2,
      body: encodeMessage(fabric.ValidationResult, result),
    };
  });
}

/** What differs, in a sentence; empty if nothing does. */
function faultOf(env: InspectEnvironment, routerId: string, answer: unknown): string {
  const known = linksIn(answer);
  if (known === undefined) return 'the router has not told its links';
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

/** The ids of the links in a router's answer to `links`. */
function linksIn(answer: unknown): ReadonlySet<string> | undefined {
  if (typeof answer !== 'object' || answer === null || !('links' in answer)) return undefined;
  const { links } = answer;
  // A router without links tells null.
  if (links === null) return new Set();
  if (!Array.isArray(links)) return undefined;
  return new Set(links.map((link: unknown) => idOf(link)));
}

function idOf(link: unknown): string {
  return typeof link === 'object' && link !== null && 'id' in link ? String(link.id) : '';
}

function shown(ids: readonly string[]): string {
  const first = ids.slice(0, idsShownMax).join(', ');
  return ids.length > idsShownMax ? `${first} and ${ids.length - idsShownMax} more` : first;
}

/** Ids of links in the sentence about one router. @bound per entity */
const idsShownMax = 10;

/** How long routers may take, as for inspections. */
const answersMs = 9_000;
