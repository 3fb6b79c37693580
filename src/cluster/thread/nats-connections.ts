// The connections of a node to NATS, as the cluster thread loads them by the URL of this module.

import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { readWhole } from '../../../snapshots/home/file-access.ts';
import type { ClusterTls } from '../../cluster-config.ts';
import { sharedClock, systemRandom } from '../../system.ts';
import { tlsOf } from '../nats/configured-access.ts';
import { openNats } from '../nats/connections.ts';
import type { NatsAccess, NatsCredentials } from '../nats/link.ts';
import type { DataSet } from '../nats/names.ts';
import type { Connect } from './connections.ts';

/** Where NATS is and how to get in, as data that can be sent to a thread. */
export interface NatsNodeSettings {
  /** `host:port` of each server that may be tried. */
  readonly servers: readonly string[];
  readonly credentials:
    | { readonly kind: 'file'; readonly path: string }
    | { readonly kind: 'password'; readonly user: string; readonly password: string }
    | undefined;
  /** Paths of files in PEM; with it, a server without TLS is refused. */
  readonly tls: ClusterTls | undefined;
  /** Bytes that a message may have at least, headers included. */
  readonly payloadBytesMin: number;
  readonly dataSet: DataSet;
  /** Copies that the stream has to have. */
  readonly replicas: number;
  /** Content of `pki/sealing.key`. */
  readonly sealingKey: Uint8Array;
}

/** Opens the data set; files are read for each connection, as they may be renewed. */
export const connect: Connect = (settings) => {
  const { dataSet, replicas, sealingKey, ...access } = settings as NatsNodeSettings;
  return openNats(
    accessOf(access),
    dataSet,
    { replicas },
    {
      clock: sharedClock,
      random: systemRandom,
      disk: nodeDisk,
      sealingKey: Buffer.from(sealingKey),
    },
  );
};

function accessOf({
  servers,
  credentials,
  tls,
  payloadBytesMin,
}: Omit<NatsNodeSettings, 'dataSet' | 'replicas' | 'sealingKey'>): NatsAccess {
  const shown = credentials && credentialsOf(credentials);
  return {
    servers,
    payloadBytesMin,
    ...(shown === undefined ? {} : { credentials: shown }),
    ...(tls === undefined ? {} : { tls: () => tlsOf(tls, readText) }),
  };
}

function credentialsOf(
  credentials: Exclude<NatsNodeSettings['credentials'], undefined>,
): NatsCredentials {
  if (credentials.kind === 'password') return credentials;
  const { path } = credentials;
  return { kind: 'file', read: () => readWhole(nodeDisk, path) };
}

function readText(path: string): string {
  return readWhole(nodeDisk, path).toString('utf8');
}
