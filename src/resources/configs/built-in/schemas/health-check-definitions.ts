// Definitions of health checks, which hosting tunnelers run against the server behind a service.

import { closedObject, definition, integerWithin, type JsonSchema } from './json-schema.ts';

/** Actions of one health check. @bound per entity */
const healthCheckActionsMax = 20;

/** When and how often a check runs and what follows: the part both kinds of check have. */
const checkCommon = {
  interval: definition('duration'),
  timeout: definition('duration'),
  actions: definition('actions'),
};

/** See behaviour/configs#health-checks. */
export const healthCheckDefinitions = {
  duration: {
    type: 'string',
    // Not anchored (behaviour/configs#built-in): 1h30m and 1.5s are durations too.
    pattern: '[0-9]+(h|m|s|ms)',
    description: 'A time span such as 250ms, 5s, 1m or 1h30m',
  },
  action: closedObject(
    {
      trigger: { type: 'string', enum: ['fail', 'pass', 'change'] },
      consecutiveEvents: integerWithin(0, 65_535),
      duration: definition('duration'),
      action: {
        type: 'string',
        pattern: '^(mark (un)?healthy|(increase|decrease) cost [0-9]+|send event)$',
      },
    },
    ['trigger', 'action'],
  ),
  actions: {
    type: 'array',
    items: definition('action'),
    minItems: 1,
    maxItems: healthCheckActionsMax,
  },
  portCheck: closedObject({ ...checkCommon, address: { type: 'string' } }, [
    'interval',
    'timeout',
    'address',
  ]),
  portChecks: { type: 'array', items: definition('portCheck') },
  httpCheck: closedObject(
    {
      ...checkCommon,
      url: { type: 'string' },
      method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'PATCH'] },
      body: { type: 'string' },
      expectStatus: integerWithin(100, 599),
      expectInBody: { type: 'string' },
    },
    ['interval', 'timeout', 'url'],
  ),
  httpChecks: { type: 'array', items: definition('httpCheck') },
} as const satisfies Readonly<Record<string, JsonSchema>>;
