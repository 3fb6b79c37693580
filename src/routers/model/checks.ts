// Asks routers how their model differs from what the controller holds
// (behaviour/control-channel#router-data-model).

import type { Frame } from '../../channel/channel-api.ts';
import { contentTypes } from '../../channel/content-types.ts';
import { decodeParts, edge } from '../../channel/messages/messages.ts';
import type { Clock } from '../../platform/ports.ts';
import { inSlices } from '../../turns/slices.ts';
import { TokenBuckets } from '../../turns/token-buckets.ts';
import type { CommonEvents } from './common-events.ts';
import {
  type ModelEvent,
  type ModelEvents,
  stateFields,
  statePlace,
  validateBody,
} from './events.ts';
import { FullState } from './full-state.ts';
import type { Subscriber } from './groups.ts';
import type { ModelCheck, ModelCheckRefusal, ModelDifference } from './model-port.ts';
import type { ViewEnvironment } from './view.ts';

/** Differences that are told of one router. @bound per request */
const modelDifferencesMax = 1000;
/** Kinds of records that a router may count; it has about ten. @bound per request */
const modelCountsMax = 100;
/** Characters of each text of a difference, and of each kind. @bound per request */
const modelDifferenceCharactersMax = 500;
/** How often a state is built again because something has changed meanwhile. @bound per request */
const stateTriesMax = 3;
/** How long a slice of building takes, in ms. */
const sliceMs = 2;

/** What checks work with. */
export interface ModelChecksOptions {
  readonly env: ViewEnvironment & { readonly clock: Clock };
  readonly events: ModelEvents;
  readonly common: CommonEvents;
  readonly bytesMax: number;
  readonly timelineId: string;
  readonly index: () => number;
  readonly keys: () => Iterable<ModelEvent>;
}

/** One per controller. One check runs at a time, and one per minute and router. */
export class ModelChecks {
  readonly #options: ModelChecksOptions;
  readonly #asked = new TokenBuckets({ perSecond: 1 / 60, burst: 1 });
  #isChanged = false;
  #isBusy = false;

  constructor(options: ModelChecksOptions) {
    this.#options = options;
  }

  /** A commit has changed the model. */
  changed(): void {
    this.#isChanged = true;
  }

  /** Asks one router. */
  async check(subscriber: Subscriber, timeoutMs: number): Promise<ModelCheck | ModelCheckRefusal> {
    const { clock } = this.#options.env;
    if (this.#isBusy) return 'tooOften';
    if (this.#asked.take(subscriber.slot, clock.monotonic()) > 0) return 'tooOften';
    this.#isBusy = true;
    const endMs = clock.monotonic() + timeoutMs;
    try {
      const body = await this.#built(subscriber);
      if (body === undefined) return 'tooLarge';
      return await this.#ask(subscriber, body, Math.max(1, endMs - clock.monotonic()));
    } finally {
      this.#isBusy = false;
    }
  }

  async #built({ group }: Subscriber): Promise<Buffer | undefined> {
    const { env, events, common, bytesMax, index, timelineId, keys } = this.#options;
    for (let tries = 1; ; tries++) {
      const state = new FullState({ env, events, common, view: group.view, bytesMax }, index());
      this.#isChanged = false;
      if (tries < stateTriesMax) await inSlices(state.steps(), env.clock, sliceMs);
      else for (const _ of state.steps());
      if (state.isTooLarge) return undefined;
      if (this.#isChanged && tries < stateTriesMax) continue;
      const place = statePlace({ endIndex: state.index, timelineId });
      return validateBody([state.common, stateFields([...state.events, ...keys()]), place]);
    }
  }

  #ask(
    { router }: Subscriber,
    body: Buffer,
    timeoutMs: number,
  ): Promise<ModelCheck | ModelCheckRefusal> {
    return new Promise((resolve) => {
      const message = { contentType: contentTypes.validateModel, body };
      router.channel.request(message, timeoutMs, (reply) => {
        resolve(reply === undefined ? 'noAnswer' : answerOf(reply));
      });
    });
  }
}

function answerOf({ contentType, body }: Frame): ModelCheck | ModelCheckRefusal {
  if (contentType !== contentTypes.validateModelResponse) return 'noAnswer';
  const has = new Map<string, number>();
  const needs = new Map<string, number>();
  const differences: ModelDifference[] = [];
  try {
    for (const part of decodeParts(edge.RouterDataModelValidateResponse, body)) {
      addCounts(has, part.origEntityCounts);
      addCounts(needs, part.copyEntityCounts);
      for (const { entityType, entityId, diffType, detail } of part.diffs) {
        if (differences.length >= modelDifferencesMax) break;
        differences.push({
          entityType: short(entityType),
          entityId: short(entityId),
          diffType: short(diffType),
          detail: short(detail),
        });
      }
    }
  } catch {
    return 'noAnswer';
  }
  return { has: Object.fromEntries(has), needs: Object.fromEntries(needs), differences };
}

function addCounts(counts: Map<string, number>, told: Readonly<Record<string, number>>): void {
  for (const [kind, count] of Object.entries(told)) {
    if (counts.size >= modelCountsMax) return;
    counts.set(short(kind), count);
  }
}

function short(text: string | null | undefined): string {
  return (text ?? '').slice(0, modelDifferenceCharactersMax);
}
