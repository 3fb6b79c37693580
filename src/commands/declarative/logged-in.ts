// A client that is logged in as the flags of a command say, for as long as the command needs it.

import { join } from 'node:path';
import { reasonOf } from '../../../snapshots/errors.ts';
import { passwordName, pkiName } from '../../../snapshots/home/layout.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import {
  type ApiSession,
  ControllerClient,
  ControllerUnreachable,
  type Login,
  RequestRefused,
} from '../../client/index.ts';
import { StartProblem } from '../../errors/errors.ts';
import type { Config } from '../../settings/config.ts';
import { caOf, findController, readOrRefuse } from '../backup/reach-controller.ts';
import { CommandFailure } from '../network/command-failure.ts';
import { connectionTo, savedOf } from '../network/connection/connection.ts';
import { homeKey } from '../network/connection/connection-plan.ts';
import { ContextFiles } from '../network/connection/contexts.ts';
import { contextTarget, controllerUrl, type Target } from '../network/connection/target.ts';
import { giveSecondFactor } from '../network/login/second-factor.ts';
import type { Reach } from './flags.ts';

/** Requests at once: more would wait in the controller only. @bound per controller */
export const requestsMax = 16;

type Use<T> = (client: ControllerClient) => Promise<T>;

/**
 * Logs in, or goes on with a saved session, and lets `use` work. A session that cannot be kept ends
 * afterwards. With the token of a session, only `use` works.
 * @throws StartProblem when the login fails; ControllerUnreachable when the controller is lost
 */
export async function whileLoggedIn<T>(
  config: Config,
  reach: Reach,
  context: ProcessContext,
  use: Use<T>,
): Promise<T> {
  const files = new ContextFiles(context);
  const target = await orRefused(async () => contextMeant(config, reach, files, context));
  if (target !== undefined) return await whileInContext(target, files, context, use);
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
  let isKept = false;
  try {
    if (certificate !== undefined) await loggedIn(client, { by: 'certificate' }, how, context);
    else if (jwtFile !== undefined) {
      const jwt = readOrRefuse(context, jwtFile).trim();
      await loggedIn(client, { by: 'jwt', jwt }, how, context);
    } else isKept = await loggedInAtHome(client, { config, reach, files, how, context });
    return await use(client);
  } finally {
    // The session would end by itself, and what happened before matters more.
    if (!isKept) await client.logOut().catch(() => undefined);
    client.close();
  }
}

/** The context that is meant; undefined where flags, settings or the home say whom to ask. */
function contextMeant(
  { home }: Config,
  { contextName, isHomeNamed, hasLogin, url, caFile }: Reach,
  files: ContextFiles,
  { disk }: ProcessContext,
): Target | undefined {
  if (contextName !== undefined) return contextTarget(files.contexts(), contextName);
  const isHere = disk.exists(join(home, pkiName, 'ca.pem'));
  if (hasLogin || isHomeNamed || isHere || caFile !== undefined) return undefined;
  const contexts = files.contexts();
  if (url === undefined) {
    return contexts.current === undefined ? undefined : contextTarget(contexts, contexts.current);
  }
  const known = Object.entries(contexts.contexts);
  const [name] = known.find(([, { urls }]) => urls.includes(controllerUrl(url))) ?? [];
  return name === undefined ? undefined : contextTarget(contexts, name);
}

async function whileInContext<T>(
  target: Target,
  files: ContextFiles,
  context: ProcessContext,
  use: Use<T>,
): Promise<T> {
  const secondFactor = (client: ControllerClient) => giveSecondFactor(client, context);
  const needs = { connectionsMax: requestsMax, secondFactor };
  const connection = await orRefused(() => connectionTo(target, {}, context, files, needs));
  try {
    return await use(await orRefused(() => connection.client()));
  } finally {
    await connection.close();
  }
}

/** Failures before anything was asked for are refused starts, as those of flags are. */
async function orRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    throw new StartProblem(error.message, { cause: error });
  }
}

interface HomeLogin {
  readonly config: Config;
  readonly reach: Reach;
  readonly files: ContextFiles;
  /** How the address of the controller was found. */
  readonly how: string;
  readonly context: ProcessContext;
}

/** Goes on with the saved session of a home, or logs in by password. @returns whether it is kept */
async function loggedInAtHome(client: ControllerClient, order: HomeLogin): Promise<boolean> {
  const { config, reach, files, how, context } = order;
  const isSaved = files.keepsSessions && reach.url === undefined && !reach.hasLogin;
  const key = homeKey(config.home, config.adminUser);
  if (isSaved && (await goesOn(client, key, order))) return true;
  const login: Login = { by: 'password', ...(await passwordOf(config, context)) };
  const session = await loggedIn(client, login, how, context);
  if (!isSaved) return false;
  try {
    await files.keepSession(key, savedOf(session));
    return true;
  } catch (error) {
    // A machine whose home directory cannot be written has never needed it here.
    if (error instanceof CommandFailure) return false;
    throw error;
  }
}

/** Whether there is a saved session that has not ended. */
async function goesOn(
  client: ControllerClient,
  key: string,
  { files, how }: HomeLogin,
): Promise<boolean> {
  const saved = await orRefused(async () => files.session(key));
  if (saved === undefined) return false;
  client.useToken(saved.token);
  try {
    await client.ask('GET', '/current-api-session');
    return true;
  } catch (error) {
    if (error instanceof RequestRefused && error.status === 401) return false;
    throw loginProblem(error, how);
  }
}

/** @param how the address of the controller was found */
async function loggedIn(
  client: ControllerClient,
  login: Login,
  how: string,
  context: ProcessContext,
): Promise<ApiSession> {
  let session: ApiSession;
  try {
    session = await client.logIn(login);
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw loginProblem(error, how);
    const who = login.by === 'password' ? login.username : `the ${login.by}`;
    throw new StartProblem(`The controller refused to log ${who} in: ${error.message}`);
  }
  if (session.authQueries.length > 0) await orRefused(() => giveSecondFactor(client, context));
  return session;
}

function loginProblem(error: unknown, how: string): unknown {
  return error instanceof ControllerUnreachable
    ? new StartProblem(`${error.message} ${how}`)
    : error;
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
