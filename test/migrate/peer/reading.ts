// Opens a database of the peer that a test has made.

import { openBolt } from '../../../src/migrate/bolt/bolt-file.ts';
import type { PeerEntity, PeerNetwork } from '../../../src/migrate/peer/entity.ts';
import { readNetwork } from '../../../src/migrate/peer/network.ts';
import { MemoryFile } from '../bolt/memory-file.ts';
import { type DatabaseContent, database, type PeerValues } from './database.ts';

/** The network in a database with this content. */
export function networkOf(content: DatabaseContent): PeerNetwork {
  return readNetwork(openBolt(new MemoryFile(database(content))).root);
}

/** The service `s1`, alone in a database, with these fields. */
export function serviceOf(fields: PeerValues): PeerEntity {
  const found = networkOf({ kinds: { services: { s1: fields } } }).entity('services', 's1');
  if (found === undefined) throw new Error('the service was not written');
  return found;
}
