// How much room the account has at NATS: a full one stops all writes.

import type { NatsLink } from './link.ts';

/** The part of its room that an account may use before an operator is told. */
const usedPartTold = 0.9;

/**
 * One sentence per limit of the account that is nearly reached.
 * @throws StreamUnreachable
 */
export async function accountFaults(link: NatsLink): Promise<readonly string[]> {
  const account = await link.ask(({ api }) => api.getAccountInfo());
  // An account may have limits of its own for streams with one number of copies.
  const rooms = [account, ...Object.values(account.tiers ?? {})];
  return rooms.flatMap((room) => {
    const { storage = 0, limits } = room ?? {};
    const bytesMax = limits?.max_storage ?? 0;
    if (bytesMax <= 0 || storage < bytesMax * usedPartTold) return [];
    return [
      `The account at NATS keeps ${storage} of ${bytesMax} bytes at most: make room, or raise its limit.`,
    ];
  });
}
