// The stores and the API client, which every component may use, and the hooks that read them.

import { createContext } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { MachineView } from '../messages.ts';
import type { Ask } from './api.ts';
import type { MachinesStore } from './machines.ts';
import type { LayoutClient } from './map/layout-client.ts';
import type { AskAs, SessionStore } from './session.ts';
import type { StreamStore } from './stream-store.ts';

/** Made once, in `main.tsx`. */
export interface Page {
  readonly session: SessionStore;
  readonly stream: StreamStore;
  readonly machines: MachinesStore;
  /** Where the nodes of the map are. */
  readonly layout: LayoutClient;
  /** Sends requests with the session of the logged-in user. */
  readonly ask: Ask;
  /** Sends requests with a given token. */
  readonly askAs: AskAs;
}

/** Carries the page down to its components. */
export const PageContext = createContext<Page | undefined>(undefined);

/** The page. @throws Error outside of it, which is a programming error. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error('no page around this component');
  return page;
}

/** The part of a store of `@xstate/store` that this page needs. */
interface Readable<State> {
  getSnapshot(): { readonly context: State };
  subscribe(listener: () => void): { unsubscribe(): void };
}

/** The result of `select` on the state; the component is rendered again when the result changes. */
export function useSelected<State, Selected>(
  store: Readable<State>,
  select: (state: State) => Selected,
): Selected {
  const selected = select(store.getSnapshot().context);
  const latest = useRef({ select, selected });
  latest.current = { select, selected };
  const [, draw] = useState(0);
  useEffect(() => {
    const look = () => {
      const now = latest.current.select(store.getSnapshot().context);
      if (!Object.is(now, latest.current.selected)) draw((count) => count + 1);
    };
    const subscription = store.subscribe(look);
    look();
    return () => subscription.unsubscribe();
  }, [store]);
  return selected;
}

/** One machine; undefined while it is not known. */
export function useMachine(kind: string): MachineView | undefined {
  const { machines } = usePage();
  return useSelected(machines, (state) => state.machines?.find(({ id }) => id === kind));
}

/** Subscribes to transitions that match `filter` (empty for all) while the component exists. */
export function useStream(filter: string): void {
  const { stream } = usePage();
  useEffect(() => {
    stream.send({ type: 'watch', filter });
    return () => stream.send({ type: 'watch', filter: undefined });
  }, [stream, filter]);
}
