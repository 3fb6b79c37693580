// Part of a store's state within a component.

import { useEffect, useRef, useState } from 'preact/hooks';

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
