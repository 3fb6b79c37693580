// Asks routers whether their model of the network is that of the controller
// (behaviour/events#the-websocket).

import { encodeMessage, fabric } from '../../channel/messages/messages.ts';
import type { InspectEnvironment } from '../../inspect/server/context.ts';
import { differenceText, type ModelCheckRefusal } from '../../routers/model/model-port.ts';
import type { FabricAnswer, FabricMessage } from './fabric-peer.ts';
import { validations } from './fabric-types.ts';
import { chosenRouters, type NamedRouter } from './validate-links.ts';

/** Answers how many routers are asked, and then what each has found. */
export function validateModel(
  env: InspectEnvironment,
  { filter, fix }: Pick<fabric.ModelValidationRequest, 'filter' | 'fix'>,
): FabricAnswer {
  const routers = fix ? notFixed : chosenRouters(env, filter);
  if (typeof routers === 'string') return answerOf({ success: false, message: routers, count: 0 });
  return {
    ...answerOf({ success: true, message: '', count: routers.length }),
    results: () => compared(env, routers),
  };
}

const notFixed = 'models of routers are not replaced on request';

function answerOf(answer: fabric.ValidationAnswer.$Properties): FabricAnswer {
  return {
    contentType: validations['router-data-model'] + 1,
    body: encodeMessage(fabric.ValidationAnswer, answer),
  };
}

function resultOf(result: fabric.ModelValidationResult.$Properties): FabricMessage {
  return {
    contentType: validations['router-data-model'] + 2,
    body: encodeMessage(fabric.ModelValidationResult, result),
  };
}

/** One after the other, because each takes a whole model. */
async function compared(
  env: InspectEnvironment,
  routers: readonly NamedRouter[],
): Promise<FabricMessage[]> {
  const endMs = env.clock.monotonic() + answersMs;
  const results: FabricMessage[] = [];
  for (const { router, name } of routers) {
    const errors = await errorsOf(env, router.id, endMs - env.clock.monotonic());
    const success = errors.length === 0;
    results.push(resultOf({ type: 'router', id: router.id, name, success, errors }));
  }
  return results;
}

async function errorsOf(
  { routerModels }: InspectEnvironment,
  routerId: string,
  leftMs: number,
): Promise<string[]> {
  if (leftMs <= 0) return ['the time was over before it was asked: choose fewer routers'];
  const checked = await routerModels.check(routerId, Math.min(leftMs, answerMs));
  if (typeof checked === 'string') return [refusals[checked]];
  const { differences } = checked;
  const shown = differences.slice(0, differencesShownMax).map(differenceText);
  const more = differences.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

const refusals: Readonly<Record<ModelCheckRefusal, string>> = {
  tooOften: 'it is being checked, or was checked within the last minute',
  notSubscribed: 'it has not asked for the model',
  tooLarge: 'its model is too large to be sent: see limits.routerModelBytesMax',
  noAnswer: 'it has not answered in time',
};

/** Differences that are told of one router. @bound per entity */
const differencesShownMax = 100;

/** How long all routers together may take, and one of them. */
const [answersMs, answerMs] = [60_000, 8_000];
