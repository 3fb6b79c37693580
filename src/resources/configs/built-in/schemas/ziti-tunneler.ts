// The oldest config schemas: one host name and port on the intercepting and on the hosting side.

import { healthCheckDefinitions } from './health-check-definitions.ts';
import { closedObject, definition, draft7, type JsonSchema } from './json-schema.ts';
import { networkDefinitions } from './network-definitions.ts';

const target = { hostname: { type: 'string' }, port: definition('portNumber') };
const { portNumber } = networkDefinitions;

/** `ziti-tunneler-client.v1`: what to intercept (behaviour/configs#built-in). */
export const zitiTunnelerClientV1: JsonSchema = {
  $schema: draft7,
  definitions: { portNumber },
  ...closedObject(target, ['hostname', 'port']),
};

/** `ziti-tunneler-server.v1`: where to connect to, and how to watch it (behaviour/configs). */
export const zitiTunnelerServerV1: JsonSchema = {
  $schema: draft7,
  definitions: { portNumber, ...healthCheckDefinitions },
  ...closedObject(
    {
      ...target,
      protocol: { type: ['string', 'null'], enum: ['tcp', 'udp', null] },
      portChecks: definition('portChecks'),
      httpChecks: definition('httpChecks'),
    },
    ['hostname', 'port'],
  ),
};
