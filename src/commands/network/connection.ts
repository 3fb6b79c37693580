// A connection to the controller that a command means, logged in as its context or home says.

import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { reasonOf } from '../../../snapshots/errors.ts';
import { passwordName } from '../../../snapshots/home/layout.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import {
  type ApiSession,
  ControllerClient,
  type ControllerOptions,
  ControllerUnreachable,
  type Login,
  RequestRefused,
} from '../../client/index.ts';
import { type Asking, type Method, type Page, type PageQuery, pageOf } from './asking.ts';
import { failureOf } from './client-failure.ts';
import { CommandFailure } from './command-failure.ts';
import { ContextFiles, type LoginMethod, type SavedSession } from './contexts.ts';
import { readIdentityFile } from './identity-file.ts';
import type { KindRow } from './kind.ts';
import type { Entity } from './names.ts';
import type { OidcProvider } from './oidc-login.ts';
import { type Target, targetOf } from './target.ts';

/** The flags that every command of the network takes. */
export type NetworkFlags = Readonly<Record<string, unknown>>;

/** How a connection is made and kept. */
interface Plan {
  readonly target: Target;
  /** How people know the target: `context ci`, or a home. */
  readonly shown: string;
  readonly options: ControllerOptions;
  /** Further nodes of a cluster, tried when the one of the options is not there. */
  readonly otherUrls: readonly string[];
  /** The key of its saved session; undefined where a token file takes the place of sessions. */
  readonly key: string | undefined;
  /** The token of a file. */
  readonly token?: string;
  /** Credentials that need nobody to type; undefined without any. */
  readonly login: (() => Promise<Login>) | undefined;
  /** Renews a session of OIDC; undefined once its refresh token is not taken any more. */
  readonly refresh?: (refreshToken: string) => Promise<SavedSession | undefined>;
}

/** What a command may ask for that goes beyond single requests. */
interface ConnectionNeeds {
  /** Requests at once; 8 by default. */
  readonly connectionsMax?: number;
  /** Completes a session that owes a second factor, which is refused without it. */
  readonly secondFactor?: (client: ControllerClient) => Promise<void>;
  /** Whether it logs in where no session is saved; so by default. */
  readonly logsIn?: boolean;
}

/** Lets `use` ask the controller of a command. @throws CommandFailure */
export async function whileConnected<T>(
  flags: NetworkFlags,
  context: ProcessContext,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const files = new ContextFiles(context);
  const target = targetOf({ ...context, flags }, files);
  return await whileUsed(await connectionTo(target, flags, context, files), use);
}

/** As `whileConnected` in a session that was saved: it never logs in. @throws CommandFailure */
export async function whileInSavedSession<T>(
  target: Target,
  flags: NetworkFlags,
  context: ProcessContext,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const files = new ContextFiles(context);
  const needs = { logsIn: false };
  return await whileUsed(await connectionTo(target, flags, context, files, needs), use);
}

async function whileUsed<T>(
  connection: Connection,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  try {
    return await use(connection);
  } catch (error) {
    throw failureOf(error);
  } finally {
    await connection.close();
  }
}

/** A connection, which has to be closed. @throws CommandFailure for files that are missing */
export async function connectionTo(
  target: Target,
  flags: NetworkFlags,
  context: ProcessContext,
  files: ContextFiles,
  needs: ConnectionNeeds = {},
): Promise<Connection> {
  const plan = await planOf(target, flags, context);
  const { connectionsMax, logsIn = true } = needs;
  const login = logsIn ? plan.login : undefined;
  const options = { ...plan.options, connectionsMax };
  return new Connection({ ...plan, login, options }, files, needs);
}

/** A session at a controller: the saved one while it lasts, or else a new one. */
export class Connection implements Asking {
  readonly target: Target;
  /** How people know the target: `context ci`, or a home. */
  readonly shown: string;
  readonly #plan: Plan;
  readonly #files: ContextFiles;
  readonly #needs: ConnectionNeeds;
  #client: ControllerClient;
  #url: string;
  #state: 'new' | 'saved' | 'fresh' = 'new';

  constructor(plan: Plan, files: ContextFiles, needs: ConnectionNeeds) {
    this.target = plan.target;
    this.shown = plan.shown;
    this.#plan = plan;
    this.#files = files;
    this.#needs = needs;
    this.#url = plan.options.url;
    this.#client = new ControllerClient(plan.options);
  }

  get url(): string {
    return this.#url;
  }

  /** PEM of the CAs that the controller is trusted by. */
  get ca(): string {
    return this.#plan.options.ca;
  }

  async ask(
    method: Method,
    path: string,
    body?: unknown,
    api: KindRow['api'] = 'management',
  ): Promise<unknown> {
    if (this.#state === 'new') await this.#begin();
    try {
      return await this.#client.ask(method, path, body, api);
    } catch (error) {
      const mayBeOver = error instanceof RequestRefused && error.status === 401;
      const isSaved = this.#state === 'saved';
      if (!mayBeOver || !isSaved || (await this.#isAlive())) throw failureOf(error);
    }
    await this.#logIn();
    try {
      return await this.#client.ask(method, path, body, api);
    } catch (error) {
      throw failureOf(error);
    }
  }

  /** The client with its session, for code that needs more than single requests. */
  async client(): Promise<ControllerClient> {
    // Renews a session that has ended.
    await this.ask('GET', '/current-api-session');
    return this.#client;
  }

  page(kind: KindRow, query: PageQuery): Promise<Page> {
    return pageOf((...words) => this.ask(...words), kind, query);
  }

  async get({ path, api }: KindRow, id: string): Promise<Entity> {
    const answer = await this.ask('GET', `${path}/${encodeURIComponent(id)}`, undefined, api);
    return (answer as { readonly data: Entity }).data;
  }

  /** Ends the session on the controller, and forgets it. @returns whether there was one */
  async logOut(): Promise<boolean> {
    const { key } = this.#plan;
    const saved = key === undefined ? undefined : this.#files.session(key);
    if (key === undefined || saved === undefined) return false;
    this.#client.useToken(saved.token);
    try {
      await this.#client.ask('DELETE', '/current-api-session');
    } catch (error) {
      if (!(error instanceof RequestRefused && error.status === 401)) throw error;
      // Only the access token has ended.
      if (await this.#refreshed()) await this.#client.ask('DELETE', '/current-api-session');
    }
    await this.#files.keepSession(key, undefined);
    return true;
  }

  /** Ends the connection. The session stays for the next command if it can be kept. */
  async close(): Promise<void> {
    const isKept = this.#plan.key !== undefined && this.#files.keepsSessions;
    if (this.#state === 'fresh' && !isKept) await this.#client.logOut().catch(() => undefined);
    this.#client.close();
  }

  async #begin(): Promise<void> {
    await this.#findNode();
    const { key, token } = this.#plan;
    if (token !== undefined) {
      // Like a saved session, it belongs to whoever created it, and does not end with a command.
      this.#client.useToken(token);
      this.#state = 'saved';
      return;
    }
    const saved = key === undefined ? undefined : this.#files.session(key);
    if (saved === undefined) return await this.#logIn();
    this.#client.useToken(saved.token);
    this.#state = 'saved';
  }

  /** Whether the session goes on: a missing right is refused like a session that has ended. */
  async #isAlive(): Promise<boolean> {
    try {
      await this.#client.ask('GET', '/current-api-session');
      return true;
    } catch (error) {
      if (error instanceof RequestRefused) return false;
      throw failureOf(error);
    }
  }

  /** The first node of several that answers. */
  async #findNode(): Promise<void> {
    const { otherUrls, options } = this.#plan;
    if (otherUrls.length === 0) return;
    for (const url of [options.url, ...otherUrls]) {
      this.#client.close();
      this.#client = new ControllerClient({ ...options, url });
      this.#url = url;
      try {
        await this.#client.ask('GET', '/version');
        return;
      } catch (error) {
        if (!(error instanceof ControllerUnreachable) || url === otherUrls.at(-1)) {
          throw failureOf(error);
        }
      }
    }
  }

  /** Renews a session of OIDC in silence. @returns whether it could */
  async #refreshed(): Promise<boolean> {
    const { key, refresh } = this.#plan;
    if (key === undefined || refresh === undefined) return false;
    // As another process may have left it in the meantime.
    const { refreshToken } = this.#files.session(key) ?? {};
    const session = refreshToken === undefined ? undefined : await refresh(refreshToken);
    if (session === undefined) return false;
    await this.#files.keepSession(key, session);
    this.#client.useToken(session.token);
    this.#state = 'fresh';
    return true;
  }

  async #logIn(): Promise<void> {
    if (await this.#refreshed()) return;
    const { login, key, shown } = this.#plan;
    if (login === undefined) {
      throw CommandFailure.notAllowed(
        `the session of ${shown} has ended. Log in again: edge-control login`,
      );
    }
    const session = await loggedIn(this.#client, await login());
    const { secondFactor } = this.#needs;
    if (session.authQueries.length > 0 && secondFactor !== undefined) {
      await secondFactor(this.#client);
    } else if (session.authQueries.length > 0) {
      throw CommandFailure.notAllowed(
        `${shown} needs a second factor. Log in again: edge-control login`,
      );
    }
    this.#state = 'fresh';
    if (key !== undefined) await this.#files.keepSession(key, savedOf(session));
  }
}

/** A login. @throws CommandFailure, with the sentence of the controller for a refused one */
export async function loggedIn(client: ControllerClient, login: Login): Promise<ApiSession> {
  try {
    return await client.logIn(login);
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw failureOf(error);
    const { status, code, requestId } = error;
    const who = login.by === 'password' ? login.username : `the ${login.by}`;
    throw CommandFailure.notAllowed(`the controller refused to log ${who} in: ${error.message}`, {
      status,
      code,
      requestId,
    });
  }
}

/** The part of a session that is kept in the file of sessions. */
export function savedOf({ token, expiresAt }: ApiSession): { token: string; endsAt: string } {
  return { token, endsAt: expiresAt };
}

/**
 * How a target is reached, without asking anybody.
 * @throws CommandFailure for files that are missing
 */
async function planOf(target: Target, flags: NetworkFlags, context: ProcessContext): Promise<Plan> {
  const timeoutMs = timeoutOf(flags);
  switch (target.is) {
    case 'context': {
      const { name, context: saved } = target;
      const [url = '', ...otherUrls] = saved.urls;
      const credentials = credentialsOf(saved.method, context);
      const ca = saved.ca ?? systemCas();
      const isOidc = saved.method.by === 'oidc';
      return {
        target,
        shown: `context ${name}`,
        options: {
          url,
          timeoutMs,
          ca,
          certificate: credentials.certificate,
        },
        otherUrls,
        key: credentials.token === undefined ? contextKey(name) : undefined,
        ...(credentials.token !== undefined && { token: credentials.token }),
        login: credentials.login,
        ...(isOidc && { refresh: refreshing({ url, ca, timeoutMs }, context) }),
      };
    }
    case 'url': {
      const { url, caFile, tokenFile } = target;
      if (tokenFile === undefined) {
        throw CommandFailure.notAllowed(
          `you are not logged in at ${url}: edge-control login ${url}`,
        );
      }
      const ca = caFile === undefined ? systemCas() : textOf(context, caFile);
      const token = textOf(context, tokenFile).trim();
      const options = { url, ca, timeoutMs };
      return {
        target,
        shown: url,
        options,
        otherUrls: [],
        key: undefined,
        token,
        login: undefined,
      };
    }
    case 'home':
      return await homePlan(target, timeoutMs, context);
  }
}

function refreshing(provider: OidcProvider, context: ProcessContext): Plan['refresh'] {
  return async (refreshToken) => {
    const { refreshedSession } = await import('./oidc-login.ts');
    return await refreshedSession(provider, refreshToken, context);
  };
}

/** The key of a context's saved session. */
export function contextKey(name: string): string {
  return `context:${name}`;
}

/** The key of the saved session of an administrator of a home. */
export function homeKey(home: string, username: string): string {
  return `home:${home} as ${username}`;
}

interface Credentials {
  readonly certificate?: ControllerOptions['certificate'];
  readonly token?: string;
  readonly login: Plan['login'];
}

function credentialsOf(method: LoginMethod, context: ProcessContext): Credentials {
  switch (method.by) {
    case 'password':
    case 'oidc':
      return { login: undefined };
    case 'certificate': {
      const [cert, key] = [textOf(context, method.certFile), textOf(context, method.keyFile)];
      return { certificate: { cert, key }, login: async () => ({ by: 'certificate' }) };
    }
    case 'identity': {
      const { certificate } = readIdentityFile(method.file, (path) => textOf(context, path));
      return { certificate, login: async () => ({ by: 'certificate' }) };
    }
    case 'jwt': {
      const { file } = method;
      return { login: async () => ({ by: 'jwt', jwt: textOf(context, file).trim() }) };
    }
    case 'token':
      return { token: textOf(context, method.file).trim(), login: undefined };
  }
}

/** Next to a home, its administrator's password is at hand. */
async function homePlan(
  target: Extract<Target, { is: 'home' }>,
  timeoutMs: number | undefined,
  context: ProcessContext,
): Promise<Plan> {
  const { home } = target;
  const { loadConfig } = await import('../../settings/config.ts');
  const { caOf, findController } = await import('../backup/reach-controller.ts');
  const config = loadConfig({ ...context, flags: { home } });
  const { url, host } = await findController(config, { url: undefined }, context);
  const { adminUser: username, adminPassword } = config;
  const file = join(home, passwordName);
  const login = async (): Promise<Login> => {
    if (adminPassword !== undefined) return { by: 'password', username, password: adminPassword };
    if (context.disk.exists(file)) {
      return { by: 'password', username, password: textOf(context, file).trim() };
    }
    throw CommandFailure.notAllowed(
      `the password of ${username} is not kept in ${file}: edge-control login ${url} --ca ${home}/pki/ca.pem --user ${username}`,
    );
  };
  return {
    target,
    shown: `the home ${home}`,
    options: { url, host, timeoutMs, ca: caOf(config, {}, context) },
    otherUrls: [],
    key: homeKey(home, username),
    login,
  };
}

/** PEM of the CAs that Node trusts. */
export function systemCas(): string {
  return rootCertificates.join('\n');
}

/** The text of a file. @throws CommandFailure if it cannot be read */
export function textOf(context: Pick<ProcessContext, 'readFile'>, path: string): string {
  try {
    return context.readFile(path);
  } catch (error) {
    throw CommandFailure.wrong(`${path} cannot be read: ${reasonOf(error)}.`);
  }
}

/** The time limit of `--timeout`, in ms. @throws CommandFailure */
export function timeoutOf({ timeout }: NetworkFlags): number | undefined {
  if (timeout === undefined) return undefined;
  const seconds = Number(timeout);
  if (seconds > 0 && seconds <= 86_400) return Math.ceil(seconds * 1000);
  throw CommandFailure.wrong(
    `--timeout is ${JSON.stringify(timeout)} but must be seconds, up to 86400.`,
  );
}
