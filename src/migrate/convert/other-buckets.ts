// The buckets that have no conversion: those that are known and not taken over, and all others,
// which are named.

import type { PeerNetwork } from '../peer/entity.ts';
import type { ReportWriter } from '../report.ts';
import { conversions, sessionConversions } from './index.ts';
import type { NewestTime } from './newest-time.ts';

/** A bucket whose content is not taken over. */
interface PassedBucket {
  readonly bucket: string;
  /** A sentence. */
  readonly reason: string;
  /** The fields of a bucket that holds no entities; otherwise its entities are counted. */
  readonly fields?: readonly string[];
}

const passedBuckets: readonly PassedBucket[] = [
  {
    bucket: 'sessions',
    reason: 'Clients ask for new service sessions when they need them.',
  },
  {
    bucket: 'revocations',
    reason: 'They revoke tokens of the former OIDC provider, which the new home does not accept.',
  },
  {
    bucket: 'controllers',
    reason: 'The new home is a controller of its own, which further nodes can join.',
  },
  { bucket: 'identityTypes', reason: 'They are the same in every home.' },
  { bucket: 'postureCheckTypes', reason: 'They are the same in every home.' },
  {
    bucket: 'eventualEvents',
    reason: 'They are deletions under way: the API sessions that they name are left out.',
  },
  {
    bucket: 'metadata',
    reason: 'It describes the former controller and its cluster.',
    fields: ['clusterId', 'entityChangeEvents', 'raftIndex', 'servers'],
  },
  { bucket: 'versions', reason: 'It names the schema.', fields: ['edge'] },
];

/**
 * The buckets at the root of the file: the id of the history, the count of changes by a controller
 * without a cluster, and all the rest.
 */
const roots = ['meta', 'zdb', 'ziti'];

/** Names all buckets that have no conversion, and notes the times in those that are known. */
export function reportOtherBuckets(
  network: PeerNetwork,
  report: ReportWriter,
  newestTime: NewestTime,
): void {
  for (const root of network.roots) if (!roots.includes(root)) report.unknown(root);
  const converted = new Set([...conversions, ...sessionConversions].map(({ bucket }) => bucket));
  for (const bucket of network.kinds) {
    if (converted.has(bucket)) continue;
    const passed = passedBuckets.find((one) => one.bucket === bucket);
    if (passed !== undefined) reportPassed(network, report, passed, newestTime);
    // What it holds follows from the entities, in a form of its own.
    else if (bucket === 'indexes')
      report.passed(bucket, 0, 'Indexes are rebuilt from the entities.');
    else report.unknown(bucket);
  }
}

function reportPassed(
  network: PeerNetwork,
  report: ReportWriter,
  { bucket, reason, fields }: PassedBucket,
  newestTime: NewestTime,
): void {
  if (fields === undefined) {
    let count = 0;
    for (const entity of network.entities(bucket)) {
      newestTime.note(entity);
      count += 1;
    }
    report.passed(bucket, count, reason);
    return;
  }
  report.passed(bucket, 0, reason);
  for (const name of network.fields(bucket)?.names() ?? []) {
    if (!fields.includes(name)) report.unknown(bucket, name);
  }
}
