// The ports that a controller claims before it opens its home, and the addresses that it announces.

import * as durability from '../../snapshots/errors.ts';
import type { ClaimedPorts } from '../http/front/claimed-ports.ts';
import type { Log } from '../observe/logs.ts';
import type { ClusterConfig } from '../settings/cluster-config.ts';
import type { Config } from '../settings/config.ts';
import { formatHostPort, type HostPort } from '../settings/setting-type.ts';
import type { CoreOptions } from './core-options.ts';

/** The ports that the controller listens on. */
export interface Ports {
  readonly api: number;
  /** Of the listener for control connections alone, if there is one. */
  readonly control: number | undefined;
}

/** The ports of a controller that does not listen. */
export function configured({ listen, ctrlListen }: Config): Ports {
  return { api: listen.port, control: ctrlListen?.port };
}

/** Where clients and routers reach the controller. */
export function addressesOf(config: Config, ports: Ports): CoreOptions['addresses'] {
  const { advertise, ctrlAdvertise = { host: advertise.host, port: 0 } } = config;
  const api = { host: advertise.host, port: advertise.port || ports.api };
  const control = { host: ctrlAdvertise.host, port: ctrlAdvertise.port };
  control.port ||= ports.control ?? api.port;
  const authority = formatHostPort(api);
  return { url: `https://${authority}`, authority, control: `tls:${formatHostPort(control)}` };
}

/**
 * The address for control connections alone, with a port that is free. Port 6262 may belong to
 * another controller of this machine: if the operator did not ask for it, `undefined` stands for
 * going on without it. @throws an error with `code` when it can't be bound.
 */
export async function claimControl(
  { ctrlListen }: Config,
  ports: ClaimedPorts,
  log: Log,
): Promise<HostPort | undefined> {
  if (ctrlListen === undefined) return undefined;
  const { host, isNamed } = ctrlListen;
  try {
    return { host, port: await ports.claim(ctrlListen) };
  } catch (thrown) {
    if (isNamed || durability.systemCodeOf(thrown) !== 'EADDRINUSE') throw thrown;
    const listen = formatHostPort(ctrlListen);
    log.warn({ listen }, 'the port is in use: routers connect to the port of the API instead');
    return undefined;
  }
}

/**
 * Settings of the cluster with the port that they leave to the system, because a node tells the
 * others its address before it listens. @throws an error with `code` when it can't be bound.
 */
export async function withPort(
  cluster: ClusterConfig,
  ports: ClaimedPorts,
): Promise<ClusterConfig> {
  const { host } = cluster.listen;
  const port = await ports.claim(cluster.listen);
  const { advertise } = cluster;
  const told = { host: advertise.host, port: advertise.port || port };
  return { ...cluster, listen: { host, port }, advertise: told };
}
