// Where the controller of a configuration is, and how an administrator logs in there.

import { join } from 'node:path';
import { reasonOf } from '../../snapshots/errors.ts';
import type { Config } from '../config.ts';
import { StartProblem } from '../errors.ts';
import { formatHostPort } from '../setting.ts';
import type { World } from '../world.ts';
import type { Login } from './ask-controller.ts';
import type { SnapshotOrder } from './flags.ts';
import { passwordName } from './home-files.ts';

/**
 * The address at which a controller with this configuration serves, and the host that its
 * certificate must name.
 * @throws StartProblem for a port that only the controller knows
 */
export function addressOf(
  { listen, advertise }: Config,
  { url }: Pick<SnapshotOrder, 'url'>,
): { url: string; host?: string } {
  if (url !== undefined) return { url };
  if (listen.port === 0) {
    throw new StartProblem(
      'The controller listens on a port of its own choice: name its address with --url.',
    );
  }
  const anyHost: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const host = anyHost[listen.host] ?? listen.host;
  return { url: `https://${formatHostPort({ host, port: listen.port })}`, host: advertise.host };
}

/** The credentials that flags, configuration and home give. @throws StartProblem without any. */
export function loginOf(
  config: Config,
  { certificate }: Pick<SnapshotOrder, 'certificate'>,
  world: World,
): Login {
  if (certificate !== undefined) {
    const { certFile, keyFile } = certificate;
    const [text, key] = [readOrRefuse(world, certFile), readOrRefuse(world, keyFile)];
    return { by: 'certificate', certificate: text, key };
  }
  const { adminUser: username, adminPassword } = config;
  if (adminPassword !== undefined) return { by: 'password', username, password: adminPassword };
  const file = join(config.home, passwordName);
  if (!world.disk.exists(file)) {
    throw new StartProblem(
      `The password of ${username} is not kept in ${file}: set EDGE_ADMIN_PASSWORD, ` +
        'or log in with --cert and --key.',
    );
  }
  return { by: 'password', username, password: readOrRefuse(world, file).trim() };
}

/** The text of a file. @throws StartProblem if it cannot be read. */
export function readOrRefuse(world: World, path: string): string {
  try {
    return world.readFile(path);
  } catch (error) {
    throw new StartProblem(`${path} cannot be read: ${reasonOf(error)}.`);
  }
}
