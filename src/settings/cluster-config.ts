// The settings of a cluster as one value that is whole or absent, checked together.

import { ConfigProblem, formatHostPort, type HostPort, isLoopback } from './setting-type.ts';
import type { ClusterLeads, ClusterReads } from './settings.ts';

/** The form of the name of a node, so that it stands unquoted in sentences, labels and shells. */
export const nodeNamePattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

/** The settings of a node of a cluster. */
export interface ClusterConfig {
  /** The name of this node, which is shown beside its id. */
  readonly name?: string | undefined;
  /** NATS servers; at least one. */
  readonly servers: readonly HostPort[];
  /** Monitoring ports of the servers, as far as they are known. */
  readonly monitoring: readonly HostPort[];
  /** Absolute path of the credentials file of NATS, if there is one. */
  readonly credentials: string | undefined;
  /** How the NATS servers are trusted; undefined for a connection without TLS. */
  readonly tls: ClusterTls | undefined;
  readonly listen: HostPort;
  /** Port 0 stands for the port that was bound. */
  readonly advertise: HostPort;
  readonly replicas: number;
  readonly clockSkewMs: number;
  readonly leaderWaitMs: number;
  readonly leads: ClusterLeads;
  readonly reads: ClusterReads;
}

/** Absolute paths of PEM files. */
export interface ClusterTls {
  readonly ca: string;
  /** What this node presents, if the servers ask for it. */
  readonly own: { readonly certificate: string; readonly key: string } | undefined;
}

/** The values of the table. */
export interface ClusterValues
  extends Pick<
    ClusterConfig,
    | 'name'
    | 'servers'
    | 'monitoring'
    | 'credentials'
    | 'replicas'
    | 'clockSkewMs'
    | 'leaderWaitMs'
    | 'leads'
    | 'reads'
  > {
  readonly tls: {
    readonly ca: string | undefined;
    readonly certificate: string | undefined;
    readonly key: string | undefined;
  };
  readonly listen: HostPort | undefined;
  readonly advertise: HostPort | undefined;
}

/**
 * The cluster that the values name; undefined without servers.
 * @throws ConfigProblem for values that do not go together
 */
export function clusterConfig(values: ClusterValues): ClusterConfig | undefined {
  const { name, servers, monitoring, credentials, listen, replicas } = values;
  if (servers.length === 0) {
    refuseLeftOver(values);
    return undefined;
  }
  if (listen === undefined) {
    throw new ConfigProblem(
      'cluster.servers is set but cluster.listen is not: the other nodes reach this one there.',
    );
  }
  if (replicas % 2 === 0) {
    throw new ConfigProblem(
      `cluster.replicas is ${replicas} but must be 1, 3 or 5: an even number survives no more failures than the odd one below it.`,
    );
  }
  if (name !== undefined && !new RegExp(nodeNamePattern).test(name)) {
    throw new ConfigProblem(
      `cluster.name is ${JSON.stringify(name)} but must be 1 to 64 letters, digits, dots, hyphens and underscores, with a letter or digit first.`,
    );
  }
  const { clockSkewMs, leaderWaitMs, leads, reads } = values;
  const [tls, advertise] = [natsTls('cluster', values), advertisedTo(values.advertise, listen)];
  const waits = { clockSkewMs, leaderWaitMs };
  const places = { servers, monitoring, credentials, tls, listen, advertise };
  return { ...(name === undefined ? {} : { name }), ...places, replicas, leads, reads, ...waits };
}

/** A setting without servers is a mistake: the operator believes that the node has companions. */
function refuseLeftOver({ name: own, credentials, tls, listen, advertise }: ClusterValues): void {
  const { ca, certificate, key } = tls;
  const named = { credentials, 'tls.ca': ca, 'tls.certificate': certificate, 'tls.key': key };
  for (const [name, value] of Object.entries({ name: own, ...named, listen, advertise })) {
    if (value === undefined) continue;
    throw new ConfigProblem(`cluster.${name} is set but cluster.servers is not.`);
  }
}

/**
 * How NATS servers are trusted. @param group of the settings, for messages
 * @throws ConfigProblem for values that do not go together, and for other machines without TLS
 */
export function natsTls(
  group: string,
  { servers, tls: { ca, certificate, key } }: Pick<ClusterValues, 'servers' | 'tls'>,
): ClusterTls | undefined {
  if ((certificate === undefined) !== (key === undefined)) {
    throw new ConfigProblem(
      `${group}.tls.certificate and ${group}.tls.key only make sense together.`,
    );
  }
  const own = certificate === undefined || key === undefined ? undefined : { certificate, key };
  if (ca !== undefined) return { ca, own };
  if (own !== undefined) {
    throw new ConfigProblem(`${group}.tls.certificate is set but ${group}.tls.ca is not.`);
  }
  // What is sent is secret, and the credentials could be used by others.
  const far = servers.find(({ host }) => !isLoopback(host));
  if (far === undefined) return undefined;
  throw new ConfigProblem(
    `${group}.servers names ${formatHostPort(far)}, which is another machine, but ${group}.tls.ca is not set: the connection would not be encrypted.`,
  );
}

/** Hosts that stand for all interfaces, where nobody can connect to. */
const wildcards = new Set(['0.0.0.0', '::']);

function advertisedTo(advertise: HostPort | undefined, listen: HostPort): HostPort {
  if (advertise === undefined) {
    if (!wildcards.has(listen.host)) return listen;
    throw new ConfigProblem(
      `cluster.listen is ${formatHostPort(listen)}, which names no machine: set cluster.advertise, too.`,
    );
  }
  if (isLoopback(advertise.host) && !isLoopback(listen.host)) {
    throw new ConfigProblem(
      `cluster.advertise is ${formatHostPort(advertise)}, which no other machine can reach, but cluster.listen is ${formatHostPort(listen)}: name an address that the other nodes can reach.`,
    );
  }
  return advertise;
}
