// Where the controller of a configuration is, and how an administrator logs in there.

import { join } from 'node:path';
import { reasonOf } from '../../../snapshots/errors.ts';
import { passwordName, pkiName } from '../../../snapshots/home/layout.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import { StartProblem } from '../../errors/errors.ts';
import type { FileBounds } from '../../platform/text-file.ts';
import { type Config, shownHome } from '../../settings/config.ts';
import {
  formatHostPort,
  type HostPort,
  hostPort,
  standardInput,
} from '../../settings/setting-type.ts';
import { askStatus, holder } from '../offline/status-command.ts';
import type { Login } from './ask-controller.ts';
import type { SnapshotOrder } from './flags.ts';

/** Where a controller is asked. */
export interface FoundController {
  readonly url: string;
  /** Host that its certificate must name, if it differs from that of `url`. */
  readonly host?: string | undefined;
  /** How the address was found: a sentence for an operator whom nobody answers there. */
  readonly how: string;
}

/**
 * The controller to ask: that of `--url`, or else the one that uses the home, wherever it listens.
 * If none says where, it is looked for where a controller with this configuration would listen.
 * @throws StartProblem for a port that only the controller knows, and a home that cannot be read
 */
export async function findController(
  config: Config,
  { url }: Pick<SnapshotOrder, 'url'>,
  context: Pick<ProcessContext, 'disk'>,
): Promise<FoundController> {
  if (url !== undefined) return { url, how: 'The address is that of --url.' };
  const { home } = config;
  const pid = holder(home, context);
  const shown = `the home ${shownHome(config)}`;
  if (pid === undefined) return configuredAddress(config, `No process uses ${shown}`);
  try {
    const { url: advertised, listen } = await askStatus(home);
    const how = `Process ${pid}, which uses ${shown}, says that it listens there.`;
    const address = listen === undefined ? undefined : hostPort(listen);
    if (address === undefined) return { url: advertised, how };
    const host = new URL(advertised).hostname.replaceAll(/^\[|\]$/g, '');
    return { url: localUrl(address), host, how };
  } catch (error) {
    const why = `Process ${pid}, which uses ${shown}, does not say where it listens (${reasonOf(error)})`;
    return configuredAddress(config, why);
  }
}

/** @param why the address of the settings is taken */
function configuredAddress({ listen, advertise }: Config, why: string): FoundController {
  if (listen.port === 0) {
    throw new StartProblem(`${why}: name another home by --home, or an address by --url.`);
  }
  const how = `${why}, so the address is that of the settings: name another home by --home, or an address by --url.`;
  return { url: localUrl(listen), host: advertise.host, how };
}

/** A listener on all addresses is asked at the loopback one. */
function localUrl({ host, port }: HostPort): string {
  const anyHost: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  return `https://${formatHostPort({ host: anyHost[host] ?? host, port })}`;
}

/**
 * The CAs that a controller is trusted by: those of a file, or of its home.
 * @throws StartProblem if they cannot be read
 */
export function caOf(
  config: Config,
  { url, caFile }: { readonly url?: string | undefined; readonly caFile?: string | undefined },
  context: ProcessContext,
): string {
  const own = join(config.home, pkiName, 'ca.pem');
  if (caFile === undefined && !context.disk.exists(own)) {
    const advice =
      url === undefined
        ? 'Name its home by --home.'
        : `Name the file with the CAs of ${url} by --ca.`;
    throw new StartProblem(
      `${own} is not there: no controller has made the home ${shownHome(config)}. ${advice}`,
    );
  }
  return readOrRefuse(context, caFile ?? own);
}

/** The credentials that flags, configuration and home give. @throws StartProblem without any. */
export function loginOf(
  config: Config,
  { certificate }: Pick<SnapshotOrder, 'certificate'>,
  context: ProcessContext,
): Login {
  if (certificate !== undefined) {
    const { certFile, keyFile } = certificate;
    const [text, key] = [readOrRefuse(context, certFile), readOrRefuse(context, keyFile)];
    return { by: 'certificate', certificate: text, key };
  }
  const { adminUser: username, adminPassword } = config;
  if (adminPassword !== undefined) return { by: 'password', username, password: adminPassword };
  const file = join(config.home, passwordName);
  if (!context.disk.exists(file)) {
    throw new StartProblem(
      `The password of ${username} is not kept in ${file}: set EDGE_ADMIN_PASSWORD, ` +
        'or log in with --cert and --key.',
    );
  }
  return { by: 'password', username, password: readOrRefuse(context, file).trim() };
}

/** The text of a file. @throws StartProblem if it cannot be read. */
export function readOrRefuse(context: ProcessContext, path: string, bounds?: FileBounds): string {
  try {
    return context.readFile(path, bounds);
  } catch (error) {
    const what = path === standardInput ? 'Standard input' : path;
    throw new StartProblem(`${what} cannot be read: ${reasonOf(error)}.`);
  }
}
