// The way to the NATS servers that the configuration of a node names.

import { reasonOf } from '../../../snapshots/errors.ts';
import { StartProblem } from '../../errors/errors.ts';
import type { ClusterConfig, ClusterTls } from '../../settings/cluster-config.ts';
import type { Limits } from '../../settings/limits.ts';
import { formatHostPort } from '../../settings/setting-type.ts';
import { type NatsAccess, type NatsCredentials, type NatsTls, passwordIn } from './link.ts';

/** Room for the headers of a message beside the largest group of frames. */
const headerBytes = 64 * 1024;

/** The settings that name the way in. */
export type ConfiguredAccess = Pick<ClusterConfig, 'servers' | 'credentials' | 'tls'>;

/**
 * The way in that the configuration names.
 * @param group of the settings, for messages
 * @throws StartProblem if the credentials cannot be read
 */
export function natsAccessOf(
  { servers, credentials, tls }: ConfiguredAccess,
  { frameBytesMax }: Pick<Limits, 'frameBytesMax'>,
  readFile: (path: string) => string,
  group = 'cluster',
): NatsAccess {
  const shown = credentials === undefined ? undefined : credentialsOf(credentials, readFile, group);
  return {
    servers: servers.map(formatHostPort),
    payloadBytesMin: frameBytesMax + headerBytes,
    ...(shown === undefined ? {} : { credentials: shown }),
    ...(tls === undefined ? {} : { tls: () => tlsOf(tls, readFile) }),
  };
}

/** The content of the files that the configuration names. @throws errors of the disk */
function tlsOf({ ca, own }: ClusterTls, readFile: (path: string) => string): NatsTls {
  const shown =
    own === undefined ? {} : { cert: readFile(own.certificate), key: readFile(own.key) };
  return { ca: readFile(ca), ...shown };
}

/** It is read for each connection, because it may be replaced; its form is checked at the start. */
function credentialsOf(
  path: string,
  readFile: (path: string) => string,
  group: string,
): NatsCredentials {
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    throw new StartProblem(`${group}.credentials cannot be read: ${reasonOf(error)}.`);
  }
  if (text.includes('-----BEGIN NATS USER JWT-----') || passwordIn(text) !== undefined) {
    return { kind: 'file', read: () => Buffer.from(readFile(path)) };
  }
  throw new StartProblem(
    `${path} (${group}.credentials) is no credentials file of NATS, and not one line USER:PASSWORD.`,
  );
}
