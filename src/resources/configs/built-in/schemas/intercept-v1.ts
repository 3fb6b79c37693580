// The schema of intercept.v1: which traffic a tunneler takes up and how it dials the service for
// it.

import {
  closedObject,
  definition,
  draft7,
  integerWithin,
  type JsonSchema,
  secondsMax,
} from './json-schema.ts';
import { networkDefinitions } from './network-definitions.ts';

/** `intercept.v1` (behaviour/configs#built-in). */
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
