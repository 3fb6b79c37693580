// Contexts: the controllers that a person logs in to, by name, and the sessions that go on.

import { join } from 'node:path';
import { isObject } from '../../declarative/entry.ts';
import { CommandFailure } from '../command-failure.ts';
import { changePrivate, readPrivate } from './private-file.ts';

const version = 1;

/** The texts that each method of logging in keeps. Files are named by absolute paths. */
const methodTexts = {
  password: ['username'],
  certificate: ['certFile', 'keyFile'],
  identity: ['file'],
  jwt: ['file'],
  token: ['file'],
  oidc: [],
} as const;

type MethodTexts = typeof methodTexts;

/** How a context logs in; no password is ever kept. */
export type LoginMethod = {
  [By in keyof MethodTexts]: { readonly by: By } & Readonly<
    Record<MethodTexts[By][number], string>
  >;
}[keyof MethodTexts];

/** One controller, and how to log in there. */
export interface Context {
  /** `https://HOST:PORT` of each node, tried in turn. */
  readonly urls: readonly string[];
  /** PEM of the CAs that the controller is trusted by; absent for those of the system. */
  readonly ca?: string;
  readonly method: LoginMethod;
}

/** All contexts. */
export interface Contexts {
  readonly version: typeof version;
  readonly current?: string;
  readonly contexts: Readonly<Record<string, Context>>;
}

/** A session that a login created. */
export interface SavedSession {
  readonly token: string;
  /** When it ends unless it is used before (RFC 3339). */
  readonly endsAt: string;
  /** Renews it; only of a login by OIDC. */
  readonly refreshToken?: string;
}

interface Sessions {
  readonly version: typeof version;
  readonly sessions: Readonly<Record<string, SavedSession>>;
}

/** The parts of the process that the files need. */
interface FilesContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  sleep(delayMs: number): Promise<void>;
}

/** The files of contexts and sessions of one user (XDG Base Directory Specification). */
export class ContextFiles {
  readonly #context: FilesContext;

  constructor(context: FilesContext) {
    this.#context = context;
  }

  /** All contexts. @throws CommandFailure for a file that cannot be used */
  contexts(): Contexts {
    const path = this.#path('XDG_CONFIG_HOME', '.config', 'contexts.json');
    return path === undefined ? noContexts : contextsIn(path, readPrivate(path));
  }

  /** Changes the contexts. @throws CommandFailure when they cannot be written */
  async changeContexts(change: (contexts: Contexts) => Contexts): Promise<void> {
    const path = this.#path('XDG_CONFIG_HOME', '.config', 'contexts.json');
    if (path === undefined) throw withoutHome('XDG_CONFIG_HOME');
    const next = (text: string | undefined) => asText(change(contextsIn(path, text)));
    await changePrivate(path, next, (ms) => this.#context.sleep(ms));
  }

  /** The session of a key such as `context:ci`; undefined without one. */
  session(key: string): SavedSession | undefined {
    const path = this.#path('XDG_STATE_HOME', '.local/state', 'sessions.json');
    if (path === undefined) return undefined;
    const { sessions } = sessionsIn(path, readPrivate(path));
    return Object.hasOwn(sessions, key) ? sessions[key] : undefined;
  }

  /** Whether sessions can be kept: there is a place for them. */
  get keepsSessions(): boolean {
    return this.#path('XDG_STATE_HOME', '.local/state', '') !== undefined;
  }

  /** Where completion keeps names; undefined where there is no place for them. */
  get namesPath(): string | undefined {
    return this.#path('XDG_STATE_HOME', '.local/state', 'names.json');
  }

  /** Keeps a session, or forgets that of the key. */
  async keepSession(key: string, session: SavedSession | undefined): Promise<void> {
    const path = this.#path('XDG_STATE_HOME', '.local/state', 'sessions.json');
    if (path === undefined) return;
    const next = (text: string | undefined) => {
      const { [key]: former, ...others } = sessionsIn(path, text).sessions;
      if (former === undefined && session === undefined) return undefined;
      const sessions = session === undefined ? others : { ...others, [key]: session };
      return asText({ version, sessions });
    };
    await changePrivate(path, next, (ms) => this.#context.sleep(ms));
  }

  #path(variable: string, below: string, name: string): string | undefined {
    const { environment } = this.#context;
    const { HOME: home } = environment;
    const base = environment[variable] || (home ? join(home, below) : undefined);
    return base === undefined ? undefined : join(base, 'edge-control', name);
  }
}

const noContexts: Contexts = { version, contexts: {} };

function contextsIn(path: string, text: string | undefined): Contexts {
  const content = text === undefined ? noContexts : parsed(path, text);
  if (isContexts(content)) return content;
  throw unusable(path, content);
}

function sessionsIn(path: string, text: string | undefined): Sessions {
  const content = text === undefined ? { version, sessions: {} } : parsed(path, text);
  if (isSessions(content)) return content;
  throw unusable(path, content);
}

/** By hand, because a library for schemas would double the time that a completion takes. */
function isContexts(content: unknown): content is Contexts {
  return (
    isObject(content) &&
    content['version'] === version &&
    isTextOrAbsent(content['current']) &&
    isObject(content['contexts']) &&
    Object.values(content['contexts']).every(isContext)
  );
}

function isContext(value: unknown): boolean {
  if (!isObject(value) || !isObject(value['method'])) return false;
  const { urls, ca, method } = value;
  const texts = Object.entries(methodTexts).find(([by]) => by === method['by'])?.[1];
  return (
    Array.isArray(urls) &&
    urls.length > 0 &&
    urls.every(isText) &&
    isTextOrAbsent(ca) &&
    texts?.every((name) => isText(method[name])) === true
  );
}

function isSessions(content: unknown): content is Sessions {
  return (
    isObject(content) &&
    content['version'] === version &&
    isObject(content['sessions']) &&
    Object.values(content['sessions']).every(isSession)
  );
}

function isSession(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { token, endsAt, refreshToken } = value;
  return isText(token) && isText(endsAt) && isTextOrAbsent(refreshToken);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || isText(value);
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw CommandFailure.wrong(`${path} is no JSON: repair or remove it.`);
  }
}

function unusable(path: string, content: unknown): CommandFailure {
  const { version: found } = { version: undefined, ...(content as object | null) };
  const isNewer = typeof found === 'number' && found > version;
  return CommandFailure.wrong(
    isNewer
      ? `${path} is of a newer release of edge-control (version ${found}).`
      : `${path} does not have the form of this release: repair or remove it.`,
  );
}

function withoutHome(variable: string): CommandFailure {
  return CommandFailure.wrong(`contexts have no place: neither HOME nor ${variable} is set.`);
}

function asText(content: unknown): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
