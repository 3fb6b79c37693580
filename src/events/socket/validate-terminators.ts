// Asks routers whether they still serve the terminators that the controller knows of them
// (behaviour/events#the-websocket).

import type { Frame } from '../../channel/channel-api.ts';
import { contentTypes } from '../../channel/content-types.ts';
import { decodeMessage, encodeMessage, fabric } from '../../channel/messages/messages.ts';
import { withoutSecrets } from '../../errors/masked-text.ts';
import type { ScalarSymbol } from '../../filter/scope.ts';
import type { InspectEnvironment } from '../../inspect/server/context.ts';
import {
  enterInspection,
  inspectionMs,
} from '../../inspect/server/inspections/inspect-operation.ts';
import { routerKind } from '../../records/router.ts';
import { serviceKind } from '../../records/service.ts';
import { type TerminatorRecord, terminatorKind } from '../../records/terminator.ts';
import type { ConnectedRouter } from '../../routers/router-feature.ts';
import { inLines } from '../../turns/lines.ts';
import { inSlices } from '../../turns/slices.ts';
import { chosen } from './chosen.ts';
import type { FabricAnswer, FabricMessage } from './fabric-peer.ts';
import { validations } from './fabric-types.ts';

/**
 * Answers how many terminators are asked for, and then what the router of each says. It takes one
 * of the places of inspections.
 */
export async function validateTerminators(
  env: InspectEnvironment,
  { filter, fixInvalid }: Pick<fabric.TerminatorValidationRequest, 'filter' | 'fixInvalid'>,
): Promise<FabricAnswer> {
  const terminators = fixInvalid
    ? notRemoved
    : await inSlices(chosen(all(env), filter, symbols, env.limits), env.clock, sliceMs);
  if (typeof terminators === 'string') return refused(terminators);
  if (terminators.length > terminatorsAskedMax) {
    return refused(`the filter takes more than ${terminatorsAskedMax} terminators`);
  }
  const leave = enterInspection(env);
  if (leave === undefined) {
    return refused('too many inspections are under way');
  }
  return {
    ...answerOf({ success: true, message: '', count: terminators.length }),
    results: () => resultsFor(env, terminators).finally(leave),
  };
}

const notRemoved =
  'terminators are not removed on request: routers are asked for theirs whenever they connect';

function refused(message: string): FabricAnswer {
  return answerOf({ success: false, message, count: 0 });
}

function answerOf(answer: fabric.ValidationAnswer.$Properties): FabricAnswer {
  return {
    contentType: validations.terminators + 1,
    body: encodeMessage(fabric.ValidationAnswer, answer),
  };
}

interface NamedTerminator {
  readonly record: TerminatorRecord;
  readonly serviceName: string;
  readonly routerName: string;
}

function* all({ store }: InspectEnvironment): Generator<NamedTerminator> {
  const terminators = store.table(terminatorKind);
  const [services, routers] = [store.table(serviceKind), store.table(routerKind)];
  for (let slot = 0; slot < terminators.slots; slot++) {
    const record = terminators.inSlot(slot)?.record;
    if (record === undefined) continue;
    const serviceName = services.peek(record.service)?.record.name ?? '';
    yield { record, serviceName, routerName: routers.peek(record.router)?.record.name ?? '' };
  }
}

type Symbol = ScalarSymbol<NamedTerminator, undefined>;

const text = (read: (one: NamedTerminator) => string): Symbol => ({
  form: 'scalar',
  type: 'string',
  read,
});

const symbols = new Map<string, Symbol>([
  ['id', text(({ record }) => record.id)],
  ['service', text(({ record }) => record.service)],
  ['service.name', text(({ serviceName }) => serviceName)],
  ['router', text(({ record }) => record.router)],
  ['router.name', text(({ routerName }) => routerName)],
  ['binding', text(({ record }) => record.binding)],
  ['address', text(({ record }) => record.address)],
  ['hostId', text(({ record }) => record.hostId ?? '')],
]);

/** Each router is asked once, for all of its terminators. */
async function resultsFor(
  env: InspectEnvironment,
  terminators: readonly NamedTerminator[],
): Promise<FabricMessage[]> {
  const byRouter = Map.groupBy(terminators, ({ record }) => record.router);
  const endMs = env.clock.monotonic() + inspectionMs;
  const states: States = new Map();
  await inLines(byRouter, terminatorRoutersMax, async ([routerId, of]) => {
    await ask(env, routerId, of, endMs - env.clock.monotonic(), states);
  });
  return await inSlices(messages(terminators, states), env.clock, sliceMs);
}

type State = Pick<fabric.TerminatorValidationResult, 'state' | 'detail'>;

/** By the id of the terminator. */
type States = Map<string, State>;

/** Asks a router, and notes what it says of these terminators, or why it says nothing. */
async function ask(
  { connectedRouters }: InspectEnvironment,
  routerId: string,
  terminators: readonly NamedTerminator[],
  leftMs: number,
  states: States,
): Promise<void> {
  const router = connectedRouters.get(routerId);
  const answer =
    router === undefined ? notConnected : await answerOfRouter(router, terminators, leftMs);
  for (const { record } of terminators) states.set(record.id, stateIn(answer, record.id));
}

/** The states by id of the terminator, or why there are none. */
type RouterAnswer = fabric.ValidateTerminatorsV2Response['states'] | string;

function answerOfRouter(
  { channel }: ConnectedRouter,
  terminators: readonly NamedTerminator[],
  leftMs: number,
): Promise<RouterAnswer> {
  if (leftMs <= 0) return Promise.resolve('the time was over before its router was asked');
  const body = encodeMessage(fabric.ValidateTerminatorsV2Request, {
    terminators: terminators.map(({ record: { id, binding, address } }) => ({
      id,
      binding,
      address,
      marker: 1,
    })),
    fixInvalid: false,
    postCreate: false,
  });
  const { validateTerminatorsV2: contentType } = contentTypes;
  return new Promise((resolve) => {
    channel.request({ contentType, body }, leftMs, (reply) => resolve(answerIn(reply)));
  });
}

function answerIn(reply: Frame | undefined): RouterAnswer {
  if (reply === undefined) return 'its router has not answered in time';
  if (reply.body.length > terminatorAnswerBytesMax) return 'the answer of its router is too large';
  if (reply.contentType !== contentTypes.validateTerminatorsV2Response) return unreadable;
  try {
    return decodeMessage(fabric.ValidateTerminatorsV2Response, reply.body).states;
  } catch {
    return unreadable;
  }
}

const notConnected = 'its router is not connected';
const unreadable = 'the answer of its router cannot be read';

function stateIn(answer: RouterAnswer, id: string): State {
  if (typeof answer === 'string') return { state: stateNumbers.unknown, detail: answer };
  const told = Object.hasOwn(answer, id) ? answer[id] : undefined;
  if (told === undefined) {
    return { state: stateNumbers.unknown, detail: 'its router says nothing of it' };
  }
  const { valid, reason, detail } = told;
  const state = valid ? stateNumbers.valid : stateNumbers.invalid + (reason ?? 0);
  return { state, detail: withoutSecrets((detail ?? '').slice(0, detailCharactersMax)) };
}

function* messages(
  terminators: readonly NamedTerminator[],
  states: States,
): Generator<undefined, FabricMessage[]> {
  const results: FabricMessage[] = [];
  for (const { record, serviceName, routerName } of terminators) {
    const result = {
      terminatorId: record.id,
      serviceId: record.service,
      serviceName,
      routerId: record.router,
      routerName,
      binding: record.binding,
      address: record.address,
      hostId: record.hostId,
      fixed: false,
      ...states.get(record.id),
    };
    results.push({
      contentType: validations.terminators + 2,
      body: encodeMessage(fabric.TerminatorValidationResult, result),
    });
    yield undefined;
  }
  return results;
}

/** As `ziti fabric validate` reads them; the reason of a router is added to the last. */
const stateNumbers = { valid: 0, unknown: 1, invalid: 2 } as const;

/** Terminators of one request. @bound per request */
const terminatorsAskedMax = 10_000;
/** Routers that are asked at the same time. @bound per request */
const terminatorRoutersMax = 100;
/** Bytes of the answer of one router, in which each terminator takes about 60. @bound per entity */
const terminatorAnswerBytesMax = 4 * 1024 * 1024;
/** Characters of what a router says about one terminator. @bound per entity */
const detailCharactersMax = 200;
/** Terminators are looked at, and results are made, in slices of this length. */
const sliceMs = 2;
