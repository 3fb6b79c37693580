// Contexts: the controllers that a person logs in to, by name, and the sessions that go on.

import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { CommandFailure } from './command-failure.ts';
import { changePrivate, readPrivate } from './private-file.ts';

const version = 1;

const methodSchema = Type.Union([
  Type.Object({ by: Type.Literal('password'), username: Type.String() }),
  Type.Object({ by: Type.Literal('certificate'), certFile: Type.String(), keyFile: Type.String() }),
  Type.Object({ by: Type.Literal('identity'), file: Type.String() }),
  Type.Object({ by: Type.Literal('jwt'), file: Type.String() }),
  Type.Object({ by: Type.Literal('token'), file: Type.String() }),
]);

const contextSchema = Type.Object({
  /** `https://HOST:PORT` of each node, tried in turn. */
  urls: Type.Array(Type.String(), { minItems: 1 }),
  /** PEM of the CAs that the controller is trusted by; absent for those of the system. */
  ca: Type.Optional(Type.String()),
  method: methodSchema,
});

const contextsSchema = Type.Object({
  version: Type.Literal(version),
  current: Type.Optional(Type.String()),
  contexts: Type.Record(Type.String(), contextSchema),
});

const sessionsSchema = Type.Object({
  version: Type.Literal(version),
  sessions: Type.Record(
    Type.String(),
    Type.Object({ token: Type.String(), endsAt: Type.String() }),
  ),
});

/** How a context logs in. Files are named by absolute paths; no password is ever kept. */
export type LoginMethod = Static<typeof methodSchema>;

/** One controller, and how to log in there. */
export type Context = Static<typeof contextSchema>;

/** All contexts. */
export type Contexts = Static<typeof contextsSchema>;

/** A session that a login created. */
export interface SavedSession {
  readonly token: string;
  /** When it ends unless it is used before (RFC 3339). */
  readonly endsAt: string;
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
  if (Value.Check(contextsSchema, content)) return content;
  throw unusable(path, content);
}

function sessionsIn(path: string, text: string | undefined): Static<typeof sessionsSchema> {
  const content = text === undefined ? { version, sessions: {} } : parsed(path, text);
  if (Value.Check(sessionsSchema, content)) return content;
  throw unusable(path, content);
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
