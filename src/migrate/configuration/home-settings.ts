// The `config.json` of a home that takes over a network.

import { join } from 'node:path';
import { loadConfig } from '../../settings/config.ts';
import { ConfigProblem, formatHostPort, type HostPort } from '../../settings/setting-type.ts';
import type { Findings } from './findings.ts';
import type { PlainSettings } from './lifetimes.ts';
import type { BindPoint } from './listeners.ts';
import type { PeerConfiguration } from './peer-configuration.ts';

/** The keys `pki.*` of the file; paths start at the home. */
export interface PkiPaths {
  readonly trustDomain?: string;
  readonly controllerId?: string;
  readonly serverCert?: string;
  readonly serverKey?: string;
  readonly ca?: string;
  readonly issuerCert?: string;
  readonly issuerKey?: string;
}

/** The content of the file. */
export interface HomeSettings extends PlainSettings {
  readonly listen: string;
  readonly advertise: string;
  readonly ctrlListen: string;
  readonly ctrlAdvertise?: string;
  readonly pki: PkiPaths;
}

/** Hosts that stand for all interfaces. */
const wildcards: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** The settings for a home that answers at a bind point of the peer. */
export function homeSettings(
  { control, settings }: PeerConfiguration,
  { listen, advertise, place }: BindPoint,
  pki: PkiPaths,
  findings: Findings,
): HomeSettings {
  const ctrlAdvertise = control.advertise && formatHostPort(control.advertise);
  return {
    listen: formatHostPort(listen),
    advertise: formatHostPort(advertise),
    ctrlListen: ctrlListenOf(control.listen, listen, place, findings),
    ...(ctrlAdvertise === undefined ? {} : { ctrlAdvertise }),
    pki,
    ...settings,
  };
}

/** The port of the API serves routers, too. */
function ctrlListenOf(
  control: HostPort | undefined,
  api: HostPort,
  place: string,
  findings: Findings,
): string {
  if (control === undefined) {
    findings.notice(
      `ctrl.listener is not set: routers are served at ${formatHostPort(api)}, the address of ${place}.`,
    );
    return 'none';
  }
  if (control.port !== api.port) return formatHostPort(control);
  if (control.host !== api.host && !wildcards.has(api.host)) {
    findings.notice(
      `ctrl.listener is ${formatHostPort(control)}, but routers are served at ${formatHostPort(api)}, the address of ${place}, because one port is bound once.`,
    );
  }
  return 'none';
}

/** Refuses settings with which the controller would not start. @param home absolute */
export function checkSettings(settings: HomeSettings, home: string, findings: Findings): void {
  const text = JSON.stringify(settings);
  const file = join(home, 'config.json');
  try {
    loadConfig({
      flags: { home },
      environment: {},
      readFile: () => text,
      directory: home,
      cores: 1,
    });
  } catch (error) {
    if (!(error instanceof ConfigProblem)) throw error;
    findings.refuse(error.message.replaceAll(file, 'the config.json that results'));
  }
}
