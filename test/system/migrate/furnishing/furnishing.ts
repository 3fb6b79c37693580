// A random network, made by the management API and the command line of the stock program.

import type { Openssl } from '../../../simulated/openssl.ts';
import type { Api, Json } from '../../client.ts';
import type { Dice } from '../../dice.ts';
import type { PeerNetwork } from '../peer-network.ts';

/** What the parts of a random network are made with. */
export interface Furnishing {
  readonly network: PeerNetwork;
  readonly admin: Api;
  readonly dice: Dice;
  readonly openssl: Openssl;
}

/** Creates an entity; members that are undefined are left out. @returns its id */
export async function make(
  { admin }: Furnishing,
  collection: string,
  body: Record<string, unknown>,
): Promise<string> {
  return await admin.create(collection, JSON.parse(JSON.stringify(body)) as Json);
}

/** Creates so many, one after the other. @returns their ids */
export async function makeMany(
  furnishing: Furnishing,
  collection: string,
  count: number,
  bodyOf: (number: number) => Record<string, unknown>,
): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    ids.push(await make(furnishing, collection, bodyOf(number)));
  }
  return ids;
}
