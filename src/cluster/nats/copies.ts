// Servers that should keep a stream and do not: the next failure may stop the cluster.

import { millis } from '@nats-io/transport-node';
import { oneLine } from './failure.ts';

/** The leader of the stream hears each of them several times per second, in ms. */
const silenceReportedMs = 10_000;

/**
 * A server that is heard may be this many entries behind: under load, one of three always is, by a
 * few more than the writer has unconfirmed. @bound
 */
const lagEntriesMax = 100;

/** The part of a server's answer about a stream that is read here. NATS omits 0 and false. */
export interface KeptStream {
  readonly config: { readonly num_replicas: number };
  readonly cluster?: Keepers | undefined;
}

interface Keepers {
  readonly leader?: string;
  /** The servers besides the leader. */
  readonly replicas?: readonly Replica[];
}

interface Replica {
  readonly name: string;
  readonly current: boolean;
  /** Since it was heard, in ns. */
  readonly active: number;
  readonly offline?: boolean;
  readonly lag?: number;
}

/** The sentences about streams, by what is in them. A server is named once. */
export function faultsOfCopies(streams: ReadonlyMap<string, KeptStream>): readonly string[] {
  const [behind, lacking] = [new Map<string, string>(), new Map<string, string[]>()];
  for (const [title, { cluster, config }] of streams) {
    // A server that stands alone tells of no cluster.
    const { leader = '', replicas = [] } = cluster ?? {};
    for (const replica of replicas) {
      const fault = faultOf(replica, title);
      if (fault !== undefined && !behind.has(replica.name)) behind.set(replica.name, fault);
    }
    const keepers = [leader, ...replicas.map(({ name }) => name)].filter((name) => name !== '');
    const most = config.num_replicas;
    if (cluster === undefined || leader === '' || keepers.length >= most) continue;
    const key = `${keepers.length} of ${most} NATS servers (${oneLine(keepers.sort().join(', '))})`;
    lacking.set(key, [...(lacking.get(key) ?? []), title]);
  }
  const few = [...lacking].map(
    ([key, titles]) =>
      `Only ${key} keep ${titles.join(' and ')}: start another one under a new name, which NATS then fills by itself.`,
  );
  return [...behind.values(), ...few];
}

function faultOf(
  { name, current, active, offline, lag = 0 }: Replica,
  title: string,
): string | undefined {
  // A server that the present leader of the stream has never heard of is 0 ns old.
  const isSilent = !current && (active === 0 || millis(active) > silenceReportedMs);
  if (offline === true || isSilent) {
    return `NATS server ${oneLine(name)} keeps nothing of ${title} any more and is ${lag} entries behind: see to it, its disk and its network.`;
  }
  if (current || lag <= lagEntriesMax) return undefined;
  return `NATS server ${oneLine(name)} is ${lag} entries behind with ${title}: wait until it has them, or see to its disk and its network.`;
}
