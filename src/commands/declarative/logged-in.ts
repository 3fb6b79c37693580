// A client that is logged in as the flags of a command say, for as long as the command needs it.

import { join } from 'node:path';
import { reasonOf } from '../../../snapshots/errors.ts';
import { passwordName } from '../../../snapshots/home/layout.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import {
  ControllerClient,
  ControllerUnreachable,
  type Login,
  RequestRefused,
} from '../../client/index.ts';
import { StartProblem } from '../../errors/errors.ts';
import type { Config } from '../../settings/config.ts';
import { caOf, findController, readOrRefuse } from '../backup/reach-controller.ts';
import type { Reach } from './flags.ts';

/** Requests at once: more would wait in the controller only. @bound per controller */
export const requestsMax = 16;

/**
 * Logs in, lets `use` work, and logs out. With the token of a session, only `use` works.
 * @throws StartProblem when the login fails; ControllerUnreachable when the controller is lost
 */
export async function whileLoggedIn<T>(
  config: Config,
  reach: Reach,
  context: ProcessContext,
  use: (client: ControllerClient) => Promise<T>,
): Promise<T> {
  const { certificate, jwtFile, tokenFile } = reach;
  const ca = caOf(config, reach, context);
  const { how, ...address } = await findController(config, reach, context);
  const client = new ControllerClient({
    ...address,
    ca,
    connectionsMax: requestsMax,
    certificate:
      certificate === undefined
        ? undefined
        : {
            cert: readOrRefuse(context, certificate.certFile),
            key: readOrRefuse(context, certificate.keyFile),
          },
  });
  if (tokenFile !== undefined) {
    try {
      client.useToken(readOrRefuse(context, tokenFile).trim());
      return await use(client);
    } finally {
      // Its session belongs to whoever has made it.
      client.close();
    }
  }
  try {
    const login: Login =
      certificate !== undefined
        ? { by: 'certificate' }
        : jwtFile !== undefined
          ? { by: 'jwt', jwt: readOrRefuse(context, jwtFile).trim() }
          : { by: 'password', ...(await passwordOf(config, context)) };
    await loggedIn(client, login, how);
    return await use(client);
  } finally {
    // The session would end by itself, and what happened before matters more.
    await client.logOut().catch(() => undefined);
    client.close();
  }
}

/** @param how the address of the controller was found */
async function loggedIn(client: ControllerClient, login: Login, how: string): Promise<void> {
  try {
    const { authQueries } = await client.logIn(login);
    if (authQueries.length === 0) return;
  } catch (error) {
    if (error instanceof ControllerUnreachable) {
      throw new StartProblem(`${error.message} ${how}`);
    }
    if (!(error instanceof RequestRefused)) throw error;
    const who = login.by === 'password' ? login.username : `the ${login.by}`;
    throw new StartProblem(`The controller refused to log ${who} in: ${error.message}`);
  }
  throw new StartProblem(
    'This administrator has a second factor, which no command can show: use one without.',
  );
}

async function passwordOf(
  { adminUser: username, adminPassword, home }: Config,
  context: ProcessContext,
): Promise<{ readonly username: string; readonly password: string }> {
  if (adminPassword !== undefined) return { username, password: adminPassword };
  const file = join(home, passwordName);
  if (context.disk.exists(file)) return { username, password: readOrRefuse(context, file).trim() };
  if (!context.secretInput.isTerminal) {
    throw new StartProblem(
      `The password of ${username} is not kept in ${file}: set EDGE_ADMIN_PASSWORD_FILE, ` +
        'or log in with --cert and --key.',
    );
  }
  try {
    return { username, password: await context.secretInput.ask(`Password of ${username}: `) };
  } catch (error) {
    throw new StartProblem(`The password cannot be read: ${reasonOf(error)}.`);
  }
}
