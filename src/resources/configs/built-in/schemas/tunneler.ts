// The config schemas of tunnelers and of routers that host in their place: which traffic to take
// up, network interfaces, a proxy port, and the oldest ones of one host name and port.

import { healthCheckDefinitions } from './health-check-definitions.ts';
import {
  closedObject,
  definition,
  draft7,
  integerWithin,
  type JsonSchema,
  secondsMax,
} from './json-schema.ts';
import { networkDefinitions } from './network-definitions.ts';

/** `intercept.v1`: which traffic to take up, and how to dial (behaviour/configs#built-in). */
export const interceptV1: JsonSchema = {
  $schema: draft7,
  definitions: networkDefinitions,
  ...closedObject(
    {
      protocols: definition('protocolNames'),
      addresses: definition('listenAddresses'),
      portRanges: definition('portRanges'),
      dialOptions: closedObject({
        identity: { type: 'string', description: 'Dial a terminator with this identity' },
        connectTimeoutSeconds: integerWithin(0, secondsMax),
      }),
      sourceIp: { type: 'string', description: 'Source address to use on the hosting side' },
      allowedSourceAddresses: definition('listenAddresses'),
    },
    ['protocols', 'addresses', 'portRanges'],
  ),
};

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
