// The overview of the fabric, as often as a person can read it and as the page has time for.

import { useEffect, useRef, useState } from 'preact/hooks';
import { useMachine, usePage } from '../page-context.ts';
import type { Fabric } from './fabric.ts';
import { type Overview, overviewOf } from './overview.ts';

/** Between two overviews: people see changes in it as at once. */
const restMinMs = 250;
/** A large fabric is looked through less often: that takes at most this share of the time. */
const shareMax = 1 / 10;

/** A fabric with its overview. */
export interface SeenFabric {
  readonly fabric: Fabric;
  readonly overview: Overview;
}

/**
 * Asks the stream for the fabric while the component exists, with the circuits of a service.
 * @returns undefined until all of it is known
 */
export function useOverview(mapService: string): SeenFabric | undefined {
  const { stream } = usePage();
  const presence = useMachine('routerPresence');
  const link = useMachine('link');
  const machines = useRef({ presence, link });
  machines.current = { presence, link };
  const isKnown = presence !== undefined && link !== undefined;
  const [seen, setSeen] = useState<SeenFabric>();
  useEffect(() => stream.send({ type: 'look', mapService }), [stream, mapService]);
  useEffect(() => () => stream.send({ type: 'look', mapService: undefined }), [stream]);
  useEffect(() => {
    if (!isKnown) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let shown: Fabric | undefined;
    let restMs = 0;
    const look = () => {
      timer = undefined;
      const { fabric } = stream.getSnapshot().context;
      const { presence: routers, link: links } = machines.current;
      if (fabric === shown || !fabric.isWhole || !routers || !links) return;
      shown = fabric;
      const begunMs = performance.now();
      setSeen({ fabric, overview: overviewOf(fabric, { presence: routers, link: links }) });
      restMs = Math.max(restMinMs, (performance.now() - begunMs) / shareMax);
    };
    const subscription = stream.subscribe(() => {
      const { fabric } = stream.getSnapshot().context;
      if (fabric !== shown) timer ??= setTimeout(look, restMs);
    });
    look();
    return () => {
      subscription.unsubscribe();
      clearTimeout(timer);
    };
  }, [stream, isKnown]);
  return seen;
}
