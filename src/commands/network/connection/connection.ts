// A connection to the controller that a command means, logged in as its context or home says.

import type { ProcessContext } from '../../../assembly/process-context.ts';
import {
  type ApiSession,
  ControllerClient,
  ControllerUnreachable,
  type Login,
  RequestRefused,
} from '../../../client/index.ts';
import { CommandFailure } from '../command-failure.ts';
import type { KindRow } from '../kinds/kind.ts';
import type { Entity } from '../kinds/names.ts';
import { type Asking, type Method, type Page, type PageQuery, pageOf } from './asking.ts';
import { failureOf } from './client-failure.ts';
import { type ConnectionPlan, type NetworkFlags, planOf } from './connection-plan.ts';
import { ContextFiles } from './contexts.ts';
import { type Target, targetOf } from './target.ts';

/** Needs of commands that go beyond single requests. */
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
  readonly #plan: ConnectionPlan;
  readonly #files: ContextFiles;
  readonly #needs: ConnectionNeeds;
  #client: ControllerClient;
  #url: string;
  #state: 'new' | 'saved' | 'fresh' = 'new';

  constructor(plan: ConnectionPlan, files: ContextFiles, needs: ConnectionNeeds) {
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
      const isOver = error instanceof RequestRefused && error.needsLogin;
      if (!isOver || this.#state !== 'saved') throw failureOf(error);
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
