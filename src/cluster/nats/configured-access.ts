// The way to the NATS servers that the configuration of a node names.

import { readFileSync } from 'node:fs';
import type { ClusterConfig } from '../../cluster-config.ts';
import type { Limits } from '../../limits.ts';
import { formatHostPort } from '../../setting.ts';
import type { NatsAccess } from './link.ts';

/** Room for the headers of a message beside the largest group of frames. */
const headerBytes = 64 * 1024;

/** The way in. Its files are read for each connection. */
export function natsAccessOf(
  { servers, credentials, tls }: ClusterConfig,
  { frameBytesMax }: Pick<Limits, 'frameBytesMax'>,
): NatsAccess {
  const own = tls?.own;
  const certified = own === undefined ? {} : { certFile: own.certificate, keyFile: own.key };
  const file = { kind: 'file', read: () => readFileSync(credentials ?? '') } as const;
  return {
    servers: servers.map(formatHostPort),
    payloadBytesMin: frameBytesMax + headerBytes,
    ...(credentials === undefined ? {} : { credentials: file }),
    ...(tls === undefined ? {} : { tls: { caFile: tls.ca, ...certified } }),
  };
}
