// Tells routers where the controller is: a router that has closed its channel dials only addresses
// that it was told (behaviour/control-channel#presence).

import type { Message } from '../channel/channel-api.ts';
import { contentTypes } from '../channel/content-types.ts';
import { encodeMessage, fabric } from '../channel/messages/messages.ts';
import { controlAddresses } from '../cluster/node/control-addresses.ts';
import type { RoutersContext } from './context.ts';
import type { RouterFeature } from './router-feature.ts';

/**
 * Sends the addresses to each router that connects or asks for them, and to all when they change.
 */
export function createControllerAddresses(context: RoutersContext): RouterFeature {
  const told = new ToldAddresses(context);
  return {
    handlers: new Map([
      [
        contentTypes.clusterMembersRequest,
        ({ channel }, frame) => channel.reply(frame, told.message()),
      ],
    ]),
    connected: ({ channel }) => channel.send(told.message()),
  };
}

/** What routers are told. In a cluster it changes with the nodes. */
class ToldAddresses {
  readonly #context: RoutersContext;
  #addresses: readonly string[] = [];
  /** How many lists there were before. */
  #changes = 0;
  #message: Message | undefined;

  constructor(context: RoutersContext) {
    this.#context = context;
  }

  message(): Message {
    if (this.#message !== undefined) return this.#message;
    // Only the leader has routers, so a follower does not get here.
    this.#context.env.cluster()?.onMembersRead(() => this.#refresh());
    this.#addresses = this.#present;
    return this.#write();
  }

  get #present(): readonly string[] {
    const { env } = this.#context;
    return controlAddresses(env.addresses.control, env.cluster());
  }

  #refresh(): void {
    const present = this.#present;
    if (String(present) === String(this.#addresses)) return;
    this.#addresses = present;
    this.#changes += 1;
    const message = this.#write();
    for (const { channel } of this.#context.connected.all()) channel.send(message);
  }

  #write(): Message {
    const { addresses, trust } = this.#context.env;
    const endpoints = this.#addresses.map((address) => ({ address, groups: [] }));
    this.#message = {
      contentType: contentTypes.updateCtrlAddresses,
      body: encodeMessage(fabric.UpdateCtrlAddresses, {
        addresses: [...this.#addresses],
        // Routers take only what is newer. The start that is told never goes back.
        index: addresses.startedAt + this.#changes,
        isLeader: true,
        controllers: [{ id: trust.controllerId, endpoints }],
      }),
    };
    return this.#message;
  }
}
