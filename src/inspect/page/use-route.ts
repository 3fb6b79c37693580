// The view that the address names, as it changes.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { hashOf, type Route, routeOf } from './route.ts';

/** The present route. */
export function useRoute(): Route {
  const [hash, setHash] = useState(window.location.hash);
  useEffect(() => {
    const look = () => setHash(window.location.hash);
    window.addEventListener('hashchange', look);
    return () => window.removeEventListener('hashchange', look);
  }, []);
  return useMemo(() => routeOf(hash), [hash]);
}

/** Goes to a view; the way back leads here again. */
export function goTo(route: Route): void {
  window.location.hash = hashOf(route);
}
