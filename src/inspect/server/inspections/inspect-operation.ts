// `POST /inspections` of the fabric API: asks the controller and its routers what they know
// (behaviour/fabric#inspections).

import Type from 'typebox';
import { type LinearPattern, LinearPatterns } from '../../../declare/resources/linear-pattern.ts';
import { ApiError } from '../../../errors/errors.ts';
import { routerKind } from '../../../records/router.ts';
import type { ConnectedRouter } from '../../../routers/router-feature.ts';
import { inSlices } from '../../../turns/slices.ts';
import { type Context, type Operation, operation } from '../context.ts';
import { isForRouters, ownInspection } from './own-inspections.ts';
import { type Inspected, RouterInspections } from './router-inspections.ts';

/** What is asked of one inspection, wherever it comes from. */
export const inspectionBounds = { nameCharacters: 200, names: 32 };

const inspectBody = Type.Object({
  appRegex: Type.String(),
  requestedValues: Type.Array(Type.String({ maxLength: inspectionBounds.nameCharacters }), {
    maxItems: inspectionBounds.names,
  }),
});

/** The operation. */
export const inspections: Operation = operation({
  id: 'inspect',
  apis: ['fabric'],
  method: 'POST',
  path: '/inspections',
  answered: 'leader',
  permission: 'ops.read',
  summary: 'Ask the controller and its routers what they know',
  answer: { bare: 'application/json' },
  body: inspectBody,
  errors: [400, 401, 429],
  writes: false,
  prepare: ({ env, body }) => inspectNodes(env, body.appRegex, body.requestedValues),
  decide: (_context, { values, errors }) => ({
    form: 'bare',
    status: 200,
    contentType: 'application/json',
    body: answerText({ values, errors }),
  }),
});

function answerText({ values, errors }: Inspected): string {
  const shown = values.map(
    ({ appId, name, json }) =>
      `{"appId":${JSON.stringify(appId)},"name":${JSON.stringify(name)},"value":${json}}`,
  );
  const told = errors.length === 0 ? 'null' : JSON.stringify(errors);
  const list = shown.length === 0 ? 'null' : `[${shown.join()}]`;
  return `{"success":${errors.length === 0},"errors":${told},"values":${list}}`;
}

/**
 * Asks the controller and its routers. @throws ApiError SERVER_TOO_MANY_REQUESTS when too many
 * inspections are under way
 */
export async function inspectNodes(
  env: Context['env'],
  appRegex: string,
  names: readonly string[],
): Promise<Inspected> {
  const leave = enterInspection(env);
  if (leave === undefined) throw new ApiError('SERVER_TOO_MANY_REQUESTS');
  try {
    return await inspect({ env }, appRegex, names);
  } finally {
    leave();
  }
}

/**
 * Takes one of the places of inspections, for whatever asks routers.
 * @returns gives it back; undefined when too many inspections are under way
 */
export function enterInspection(env: object): (() => void) | undefined {
  const under = underWay.get(env) ?? 0;
  if (under >= inspectionsMax) return undefined;
  underWay.set(env, under + 1);
  return () => {
    underWay.set(env, (underWay.get(env) ?? 1) - 1);
  };
}

/** Inspections that run at the same time, each with answers of up to 16 MiB. @bound */
const inspectionsMax = 4;

const underWay = new WeakMap<object, number>();

/** How long routers may take, less than a request may (behaviour/requests#time-limit). */
export const inspectionMs = 9_000;

async function inspect(
  { env }: Pick<Context, 'env'>,
  appRegex: string,
  names: readonly string[],
): Promise<Inspected> {
  const { clock } = env;
  const endMs = clock.monotonic() + inspectionMs;
  const inspected: Inspected = { values: [], errors: [] };
  const id = env.trust.controllerId;
  try {
    const pattern = new LinearPatterns(patternBounds).compile(appRegex);
    const routers = await inSlices(matching(env, pattern), clock, sliceMs);
    if (pattern.test(id)) {
      for (const name of names) {
        const value = await ownInspection(env, name);
        if (value === undefined) continue;
        inspected.values.push({ appId: id, name, json: JSON.stringify(value) });
      }
    }
    const asked = names.filter(isForRouters);
    const relay = new RouterInspections(asked, inspected);
    if (asked.length > 0) await relay.ask(routers, () => endMs - clock.monotonic());
  } catch (error) {
    // A wrong expression is told like a failure of the controller.
    inspected.errors.push(`${id}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return inspected;
}

/** The connected routers whose id or name the expression finds something in. */
function* matching(
  { connectedRouters, store }: Context['env'],
  pattern: LinearPattern,
): Generator<undefined, ConnectedRouter[]> {
  const found: ConnectedRouter[] = [];
  const routers = store.table(routerKind);
  let seen = 0;
  for (const router of [...connectedRouters.all()]) {
    const name = routers.peek(router.id)?.record.name ?? '';
    if (pattern.test(router.id) || pattern.test(name)) found.push(router);
    if (++seen % routersAStep === 0) yield undefined;
  }
  return found;
}

/** Bounds of the expression: 20 million steps are 0.8 s, in slices. */
const patternBounds = {
  patternCharactersMax: 1000,
  schemaInstructionsMax: 1000,
  patternStepsMax: 20_000_000,
};

const routersAStep = 16;
const sliceMs = 2;
