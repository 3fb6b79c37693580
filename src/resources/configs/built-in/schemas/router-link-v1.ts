// The schema of router.link.v1: how a router listens for, dials and keeps its links to other
// routers.

import { closedObject, definition, draft7, type JsonSchema } from './json-schema.ts';

const atLeastOne: JsonSchema = { type: 'integer', minimum: 1 };
const notNegative: JsonSchema = { type: 'integer', minimum: 0 };

/**
 * See behaviour/configs#built-in; listeners, dialers and their options have the names and forms
 * that routers read from their own configuration files.
 */
const linkDefinitions = {
  duration: {
    type: 'string',
    // The whole text, as routers parse it: numbers that may have a fraction, each with its unit.
    pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$',
    description: 'A time span such as 250ms, 10s or 1h30m',
  },
  groups: {
    description: 'Routers link where they have a group in common',
    anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
  },
  channelOptions: closedObject({
    outQueueSize: notNegative,
    maxQueuedConnects: atLeastOne,
    maxOutstandingConnects: atLeastOne,
    connectTimeout: definition('duration'),
    writeTimeout: definition('duration'),
  }),
  backoff: closedObject({
    retryBackoffFactor: { type: 'number', minimum: 1 },
    minRetryInterval: definition('duration'),
    maxRetryInterval: definition('duration'),
  }),
  listener: closedObject(
    {
      binding: { type: 'string' },
      bind: { type: 'string', minLength: 1 },
      advertise: { type: 'string' },
      bindInterface: { type: 'string' },
      groups: definition('groups'),
      options: definition('channelOptions'),
    },
    ['bind'],
  ),
  dialer: closedObject({
    binding: { type: 'string' },
    bindInterface: { type: 'string' },
    groups: definition('groups'),
    maxDefaultConnections: atLeastOne,
    maxAckConnections: notNegative,
    split: { type: 'boolean' },
    startupDelay: definition('duration'),
    healthyDialBackoff: definition('backoff'),
    unhealthyDialBackoff: definition('backoff'),
    options: definition('channelOptions'),
  }),
};

/** `router.link.v1`, for routers and not for services (behaviour/configs#built-in). */
export const routerLinkV1: JsonSchema = {
  $schema: draft7,
  definitions: linkDefinitions,
  ...closedObject({
    listeners: { type: 'array', items: definition('listener') },
    dialers: { type: 'array', items: definition('dialer') },
    heartbeats: closedObject({
      sendInterval: definition('duration'),
      checkInterval: definition('duration'),
      closeUnresponsiveTimeout: definition('duration'),
    }),
    payloadSenderQueueSize: atLeastOne,
    ackSenderQueueSize: atLeastOne,
    gcMode: { type: 'string', enum: ['preserve', 'orphaned', 'changed'] },
  }),
};
