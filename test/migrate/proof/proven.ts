// A small network as proofs see it: its entities, and the records that they became.

import { newSealingKey, type Sealing } from '../../../src/auth/sealing/sealing.ts';
import type { ConvertedRecord } from '../../../src/migrate/convert/conversion.ts';
import { convertedRecords } from '../../../src/migrate/convert/network.ts';
import { NewRecords } from '../../../src/migrate/home/new-records.ts';
import type { PeerNetwork } from '../../../src/migrate/peer/entity.ts';
import { leaveOuts } from '../../../src/migrate/report.ts';
import { ReportBook } from '../../../src/migrate/report-book.ts';
import type { Store } from '../../../src/store/store.ts';
import { seededRandom, startMs } from '../../pki/context.ts';
import { SimulatedClock } from '../../simulated/clock.ts';
import { networkOf } from '../convert/converted.ts';
import { smallNetwork } from '../home/small-network.ts';
import type { DatabaseContent } from '../peer/database.ts';

/** What a proof looks at. */
export interface ProvenNetwork {
  readonly network: PeerNetwork;
  readonly store: Store;
  readonly sealing: Sealing;
  readonly clock: SimulatedClock;
}

/**
 * Converts a network.
 * @param change what becomes of a record before it is loaded, as a mistake of a conversion would
 */
export function proven(
  kinds: DatabaseContent['kinds'] = smallNetwork(),
  change: (record: ConvertedRecord) => ConvertedRecord = (record) => record,
): ProvenNetwork {
  const network = networkOf({ kinds });
  const clock = new SimulatedClock(startMs);
  const { sealing } = newSealingKey(seededRandom('proof'));
  const records = new NewRecords(clock);
  const converted = convertedRecords({
    network,
    report: new ReportBook(new Set(leaveOuts)),
    sealer: sealing,
    nowMs: startMs,
    sessions: 'keep',
    sessionTimeoutMs: 30 * 60_000,
    authorities: [],
  });
  for (const record of converted) records.add(change(record));
  return { network, store: records.store, sealing, clock };
}
