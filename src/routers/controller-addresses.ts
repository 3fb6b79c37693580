// Tells routers where the controller is: a router that has closed its channel dials only addresses
// that it was told (behaviour/control-channel#presence).

import { contentTypes } from '../channel/content-types.ts';
import type { Message } from '../channel/contract.ts';
import { encodeMessage, fabric } from '../channel/messages/messages.ts';
import type { RouterFeature, RoutersContext } from './contract.ts';

/** Sends the addresses to each router that connects or asks for them. */
export function createControllerAddresses({ env }: RoutersContext): RouterFeature {
  let told: Message | undefined;
  const message = () => (told ??= addressesMessage(env));
  return {
    handlers: new Map([
      [contentTypes.clusterMembersRequest, ({ channel }, frame) => channel.reply(frame, message())],
    ]),
    connected: ({ channel }) => channel.send(message()),
  };
}

function addressesMessage({ addresses, trust }: RoutersContext['env']): Message {
  const address = addresses.control;
  return {
    contentType: contentTypes.updateCtrlAddresses,
    body: encodeMessage(fabric.UpdateCtrlAddresses, {
      addresses: [address],
      // Routers take only what is newer. The start that is told never goes back.
      index: addresses.startedAt,
      isLeader: true,
      controllers: [{ id: trust.trustDomain, endpoints: [{ address, groups: [] }] }],
    }),
  };
}
