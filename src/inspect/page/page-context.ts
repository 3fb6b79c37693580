// The stores and the API client, which every component may use.

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Ask } from './ask.ts';
import type { MachinesStore } from './machines-store.ts';
import type { SessionStore } from './session-store.ts';
import type { StreamStore } from './stream-store.ts';

/** Made once, in `main.tsx`. */
export interface Page {
  readonly session: SessionStore;
  readonly stream: StreamStore;
  readonly machines: MachinesStore;
  /** Sends requests with the session of the logged-in user. */
  readonly ask: Ask;
  /** Sends requests with a given token. */
  askAs(token: string): Ask;
}

/** Carries the page down to its components. */
export const PageContext = createContext<Page | undefined>(undefined);

/** The page. @throws Error outside of it, which is a programming error. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error('no page around this component');
  return page;
}
