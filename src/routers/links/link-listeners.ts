// Where a router accepts links, as it says itself: other routers are told, so it is bounded.

import type { fabric } from '../../channel/messages/messages.ts';

/** One place, with all texts present. */
export interface LinkListener {
  readonly address: string;
  readonly protocol: string;
  readonly groups: string[];
  readonly localBinding: string;
}

/** The listeners that fit the bounds; others are left out. */
export function boundedListeners(
  listeners: readonly fabric.LinkListener.$Properties[],
): readonly LinkListener[] {
  return listeners.slice(0, linkListenersMax).flatMap((listener) => {
    const address = listener.address ?? '';
    const protocol = listener.protocol ?? '';
    const localBinding = listener.localBinding ?? '';
    const groups = (listener.groups ?? []).slice(0, listenerGroupsMax);
    const texts = [address, protocol, localBinding, ...groups];
    const fits = address !== '' && texts.every((text) => text.length <= listenerTextMax);
    return fits ? [{ address, protocol, groups, localBinding }] : [];
  });
}

/** Listeners of one router that others are told. @bound per entity */
const linkListenersMax = 8;
/** Groups of one listener. @bound per entity */
const listenerGroupsMax = 16;
/** Characters of an address or a group. @bound */
const listenerTextMax = 300;
