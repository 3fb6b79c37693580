// The login, for administrators only: its steps, and the session that it leads to. The token is
// kept only in the tab.

import { createStore } from '@xstate/store';
import { ApiProblem, type Ask } from './api.ts';

/** The page's data of its API session. */
export interface SessionState {
  /** `factor`: the password was right, and a code is still needed. */
  readonly phase: 'out' | 'factor' | 'in';
  /** Empty while logged out. */
  readonly token: string;
  /** Name of the administrator. */
  readonly name: string;
  /** Why the user must log in again; empty at first and after logging out. */
  readonly notice: string;
}

const loggedOut: SessionState = { phase: 'out', token: '', name: '', notice: '' };

/** The store of a session that begins as `initial`. */
export function createSessionStore(initial: SessionState) {
  return createStore({
    context: initial,
    on: {
      factorOwed: (_, { token }: { token: string }): SessionState => ({
        ...loggedOut,
        phase: 'factor',
        token,
      }),
      loggedIn: (_, { token, name }: { token: string; name: string }): SessionState => ({
        ...loggedOut,
        phase: 'in',
        token,
        name,
      }),
      /** Answers to the token of an earlier session are ignored. */
      ended: (state, { token, notice }: { token: string; notice: string }): SessionState =>
        state.token === token ? { ...loggedOut, notice } : state,
    },
  });
}

/** The store that `createSessionStore` makes. */
export type SessionStore = ReturnType<typeof createSessionStore>;

/** The data kept for a reload of the tab; undefined for none. */
export function keptText({ phase, token, name }: SessionState): string | undefined {
  return phase === 'in' ? JSON.stringify({ token, name }) : undefined;
}

/** The session that was kept; logged out for anything else. */
export function keptSession(text: string | null): SessionState {
  try {
    const { token, name } = JSON.parse(text ?? '{}') as { token?: unknown; name?: unknown };
    if (typeof token !== 'string' || token === '') return loggedOut;
    return { ...loggedOut, phase: 'in', token, name: typeof name === 'string' ? name : '' };
  } catch {
    return loggedOut;
  }
}

/** The result of a step of a login. */
export type LogInStep =
  | { readonly step: 'factorOwed'; readonly token: string }
  | { readonly step: 'loggedIn'; readonly token: string; readonly name: string };

/** Creates the API client of a session. */
export type AskAs = (token: string) => Ask;

/** The fields that the page reads of an answer to `POST /authenticate`. */
interface Authenticated {
  readonly token: string;
  /** Factors that are still missing. */
  readonly authQueries: readonly { readonly typeId?: string; readonly isTotpEnrolled?: boolean }[];
}

/** Logs in with name and password. @throws ApiProblem with a message for the user. */
export async function logIn(askAs: AskAs, username: string, password: string): Promise<LogInStep> {
  const body = { username, password };
  const path = '/authenticate?method=password';
  const { data } = await askAs('')<Authenticated>(path, { method: 'POST', body });
  const [query] = data.authQueries;
  if (query === undefined) return admitted(askAs, data.token);
  if (query.typeId === 'MFA' && query.isTotpEnrolled !== false) {
    return { step: 'factorOwed', token: data.token };
  }
  await leave(askAs(data.token));
  const text =
    query.typeId === 'MFA'
      ? 'Enroll in MFA first: your policy asks for a code.'
      : 'This login owes a JWT, which the inspector cannot give.';
  throw new ApiProblem(401, 'FACTOR', text);
}

/** Sends the code that a session still needs. @throws ApiProblem with a message for the user. */
export async function giveCode(askAs: AskAs, token: string, code: string): Promise<LogInStep> {
  await askAs(token)('/authenticate/mfa', { method: 'POST', body: { code } });
  return admitted(askAs, token);
}

/** Ends a session. It is no error if it has already ended. */
export async function leave(ask: Ask): Promise<void> {
  await ask('/current-api-session', { method: 'DELETE' }).catch(() => undefined);
}

/** The fields that the page reads of `GET /current-identity`. */
interface CurrentIdentity {
  readonly name: string;
  readonly isAdmin: boolean;
  readonly isDefaultAdmin?: boolean;
}

async function admitted(askAs: AskAs, token: string): Promise<LogInStep> {
  const { data } = await askAs(token)<CurrentIdentity>('/current-identity');
  if (data.isAdmin || data.isDefaultAdmin === true) {
    return { step: 'loggedIn', token, name: data.name };
  }
  await leave(askAs(token));
  throw new ApiProblem(403, 'UNAUTHORIZED', 'Only administrators may look in here.');
}
