// The logged-in user and the state of the login. The token is kept only in the tab.

import { createStore } from '@xstate/store';

/** The state of a login. `factor`: the password was right and a code is needed. */
export type SessionPhase = 'out' | 'factor' | 'in';

/** The page's data of its API session. */
export interface SessionState {
  readonly phase: SessionPhase;
  /** Empty while logged out. */
  readonly token: string;
  /** Name of the administrator. */
  readonly name: string;
  /** Why the user must log in again; empty at first and after logging out. */
  readonly notice: string;
}

/** Nobody is logged in. */
const loggedOut: SessionState = { phase: 'out', token: '', name: '', notice: '' };

/** The store of a session that begins as `initial`, which was kept or is `loggedOut`. */
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
