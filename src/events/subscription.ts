// What a reader subscribes to: types of events, and what it wants of them
// (behaviour/events#subscriptions).

import { type LinearPattern, LinearPatterns } from '../declare/resources/linear-pattern.ts';
import type { EventFields, EventType } from '../observe/events.ts';
import { eventTypes } from '../settings/event-types.ts';
import type { ToldEvent } from './told-event.ts';

/** A subscription to one type of events. */
export interface EventSubscription {
  readonly type: EventType;
  /** Between two counts of entities, in ms; of `entityCount` alone. */
  readonly intervalMs: number;
  /** The lines of an event of the type: none where it is not wanted. */
  linesOf(event: ToldEvent): readonly Buffer[];
}

/** A subscription is not valid; the message says why, in one sentence. */
export class SubscriptionProblem extends Error {
  override readonly name = 'SubscriptionProblem';
}

/**
 * Reads subscriptions. Unknown types are left out, as in OpenZiti.
 * @throws SubscriptionProblem
 */
export function subscriptionsOf(asked: unknown): EventSubscription[] {
  if (!Array.isArray(asked)) throw new SubscriptionProblem('subscriptions must be a list');
  if (asked.length > subscriptionsMax) {
    throw new SubscriptionProblem(`there are more than ${subscriptionsMax} subscriptions`);
  }
  return asked.flatMap((one: unknown) => {
    if (!isObject(one)) throw new SubscriptionProblem('a subscription must be an object');
    const type = eventTypes.find((known) => known === one['type']);
    if (type === undefined) return [];
    const options = one['options'] ?? {};
    if (!isObject(options)) throw new SubscriptionProblem('options must be an object');
    return [subscriptionTo(type, options)];
  });
}

/** @throws SubscriptionProblem */
export function subscriptionTo(
  type: EventType,
  options: Readonly<Record<string, unknown>> = {},
): EventSubscription {
  const intervalMs = type === 'entityCount' ? intervalOf(options['interval']) : 0;
  return { type, intervalMs, linesOf: linesFor(type, options) };
}

type Lines = EventSubscription['linesOf'];

/** @throws SubscriptionProblem */
function linesFor(type: EventType, options: Readonly<Record<string, unknown>>): Lines {
  switch (type) {
    case 'entityChange':
      return unlessLeftOut('entityType', options['include']);
    case 'session':
      return unlessLeftOut('session_type', options['include']);
    case 'metrics':
      return matching({
        source_id: patternOf('sourceFilter', options['sourceFilter']),
        metric: patternOf('metricFilter', options['metricFilter']),
      });
    case 'usage':
      return usageVersionOf(options['version']) === 2 ? perValue : whole;
    default:
      return whole;
  }
}

const whole: Lines = (event) => [event.line];

/** Takes events whose field has one of the named values; an event without the field passes. */
function unlessLeftOut(field: string, include: unknown): Lines {
  if (include === undefined || include === null) return whole;
  const names = Array.isArray(include) ? include : [include];
  return (event) => {
    const value = event.fields[field];
    return value === undefined || names.includes(value) ? [event.line] : [];
  };
}

function matching(patterns: Readonly<Record<string, LinearPattern | undefined>>): Lines {
  const wanted = Object.entries(patterns).flatMap(([field, pattern]) =>
    pattern === undefined ? [] : [{ field, pattern }],
  );
  if (wanted.length === 0) return whole;
  return (event) => {
    const isWanted = wanted.every(({ field, pattern }) =>
      pattern.test(String(event.fields[field] ?? '')),
    );
    return isWanted ? [event.line] : [];
  };
}

/** Version 2 of usage: an event for each value. */
const perValue: Lines = (event) => {
  const { usage, ...common } = event.fields;
  if (!isObject(usage)) return [event.line];
  return Object.entries(usage).map(([name, value]) => {
    const fields: EventFields = {
      ...common,
      version: 2,
      event_type: `usage.${name}`,
      usage: value,
    };
    return event.lineWith(fields);
  });
};

/** @throws SubscriptionProblem */
function usageVersionOf(value: unknown): 2 | 3 {
  if (value === undefined || value === null || Number(value) === 3) return 3;
  if (Number(value) === 2) return 2;
  throw new SubscriptionProblem('the version of usage events must be 2 or 3');
}

/** @throws SubscriptionProblem */
function patternOf(name: string, text: unknown): LinearPattern | undefined {
  if (text === undefined || text === null || text === '') return undefined;
  if (typeof text !== 'string') throw new SubscriptionProblem(`${name} must be a text`);
  try {
    return new LinearPatterns(patternBounds).compile(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SubscriptionProblem(`${name} is not valid: ${reason}`);
  }
}

const msOf: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * A duration as Go writes it: `5m`, `1m30s`. @throws SubscriptionProblem
 */
function intervalOf(value: unknown): number {
  if (value === undefined || value === null || value === '') return countIntervalMs;
  const text = String(value);
  if (text.length > 32 || !/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) {
    throw new SubscriptionProblem('interval must be a duration such as 30s or 5m');
  }
  let ms = 0;
  for (const [, count = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    ms += Number(count) * (msOf[unit] ?? 0);
  }
  if (ms < countIntervalMin || ms > countIntervalMax) {
    throw new SubscriptionProblem('interval must be between 1s and 24h');
  }
  return ms;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Between two counts of entities where a reader names no interval, in ms. */
const countIntervalMs = 300_000;

/** Least time between two counts of entities, in ms: a count walks over all routers. @bound */
const countIntervalMin = 1000;

/** Most time between two counts of entities, in ms: timers hold no more than 24 days. @bound */
const countIntervalMax = 86_400_000;

/** Subscriptions of one request; OpenZiti has 16 types. @bound per request */
const subscriptionsMax = 64;

/** Bounds of an expression over metrics, whose names are short: one takes 1 ms at most. */
const patternBounds = {
  patternCharactersMax: 500,
  schemaInstructionsMax: 200,
  patternStepsMax: Number.MAX_SAFE_INTEGER,
};
