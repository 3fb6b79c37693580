// Definitions of protocols, addresses and ports, shared by the config schemas that tunnelers read.

import { closedObject, definition, integerWithin, type JsonSchema, setOf } from './json-schema.ts';

/**
 * See behaviour/configs#built-in. Addresses are checked as international host names: in
 * this controller that format lets wildcards, IP addresses and CIDR blocks pass
 * (`src/declare/resources/user-schema.ts`).
 */
export const networkDefinitions = {
  protocolName: { type: 'string', enum: ['tcp', 'udp'] },
  protocolNames: setOf(definition('protocolName')),
  portNumber: integerWithin(0, 65_535),
  portRange: closedObject({ low: definition('portNumber'), high: definition('portNumber') }, [
    'low',
    'high',
  ]),
  portRanges: setOf(definition('portRange')),
  listenAddress: {
    type: 'string',
    format: 'idn-hostname',
    minLength: 1,
    description: 'A host name, also with a leading wildcard (*.example.com), an IP or a CIDR block',
  },
  listenAddresses: setOf(definition('listenAddress')),
} as const satisfies Readonly<Record<string, JsonSchema>>;
