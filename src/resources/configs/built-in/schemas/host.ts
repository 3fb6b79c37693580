// The schemas of host.v1 and host.v2: where a hosting tunneler connects to, once or for several
// terminators.

import { healthCheckDefinitions } from './health-check-definitions.ts';
import {
  closedObject,
  definition,
  draft7,
  integerWithin,
  type JsonSchema,
  secondsMax,
  setOf,
} from './json-schema.ts';
import { networkDefinitions } from './network-definitions.ts';

// Only true: a value that is not forwarded leaves its flag out (behaviour/configs#forwarding).
const forwardFlag = { type: 'boolean', enum: [true] };

const hostDefinitions = {
  ...networkDefinitions,
  ...healthCheckDefinitions,
  addressTranslation: {
    anyOf: [addressTranslation('ipv4', 32), addressTranslation('ipv6', 128)],
  },
  listenOptions: closedObject({
    connectTimeoutSeconds: integerWithin(0, secondsMax),
    connectTimeout: definition('duration'),
    maxConnections: { type: 'integer', minimum: 1 },
    identity: { type: 'string', description: 'Identity of the terminator' },
    bindUsingEdgeIdentity: {
      type: 'boolean',
      description: "Use the name of the hosting tunneler's identity as identity of the terminator",
    },
    cost: integerWithin(0, 65_535),
    precedence: { type: 'string', enum: ['default', 'required', 'failed'] },
  }),
  proxy: closedObject({ type: { type: 'string', enum: ['http'] }, address: { type: 'string' } }, [
    'type',
    'address',
  ]),
};

/** One way to reach the server: all of host.v1, and each terminator of host.v2. */
const terminator = {
  ...closedObject({
    protocol: definition('protocolName'),
    forwardProtocol: forwardFlag,
    allowedProtocols: definition('protocolNames'),
    address: definition('listenAddress'),
    forwardAddress: forwardFlag,
    allowedAddresses: definition('listenAddresses'),
    forwardAddressTranslations: setOf(definition('addressTranslation')),
    port: definition('portNumber'),
    forwardPort: forwardFlag,
    allowedPortRanges: definition('portRanges'),
    allowedSourceAddresses: definition('listenAddresses'),
    listenOptions: definition('listenOptions'),
    proxy: definition('proxy'),
    portChecks: definition('portChecks'),
    httpChecks: definition('httpChecks'),
  }),
  allOf: [
    fixedOrForwarded('protocol', 'forwardProtocol', 'allowedProtocols'),
    fixedOrForwarded('address', 'forwardAddress', 'allowedAddresses'),
    fixedOrForwarded('port', 'forwardPort', 'allowedPortRanges'),
  ],
};

/** `host.v1` (behaviour/configs#built-in). */
export const hostV1: JsonSchema = {
  $schema: draft7,
  definitions: hostDefinitions,
  ...terminator,
};

/** `host.v2`: several times host.v1 (behaviour/configs#built-in). */
export const hostV2: JsonSchema = {
  $schema: draft7,
  definitions: { ...hostDefinitions, terminator },
  ...closedObject(
    { terminators: { type: 'array', items: definition('terminator'), minItems: 1 } },
    ['terminators'],
  ),
};

/** Exactly one of a fixed value, or a forwarded one with what is allowed (behaviour/configs). */
function fixedOrForwarded(fixed: string, flag: string, allowed: string): JsonSchema {
  return {
    if: { properties: { [flag]: { const: true } }, required: [flag] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: [allowed], properties: { [fixed]: false } },
    else: { required: [fixed] },
  };
}

function addressTranslation(format: 'ipv4' | 'ipv6', prefixLengthMax: number): JsonSchema {
  return closedObject(
    {
      from: { type: 'string', format },
      to: { type: 'string', format },
      prefixLength: integerWithin(0, prefixLengthMax),
    },
    ['from', 'to', 'prefixLength'],
  );
}
