// Two small config schemas of hosting routers: network interfaces, and a proxy port without
// interception.

import { closedObject, draft7, type JsonSchema } from './json-schema.ts';

/** `interfaces.v1` (behaviour/configs#built-in). */
export const interfacesV1: JsonSchema = {
  $schema: draft7,
  ...closedObject({ interfaces: { type: 'array', items: { type: 'string' } } }, ['interfaces']),
};

/** `proxy.v1` (behaviour/configs#built-in). */
export const proxyV1: JsonSchema = {
  $schema: draft7,
  ...closedObject(
    {
      port: { type: 'number', minimum: 1, maximum: 65_535 },
      protocols: {
        type: 'array',
        items: { type: 'string', enum: ['tcp', 'udp'] },
        minItems: 1,
      },
      binding: { type: 'string' },
    },
    ['port', 'protocols'],
  ),
};
