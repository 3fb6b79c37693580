// The time, as it passes.

import { useEffect, useState } from 'preact/hooks';
import { usePage } from '../page-context.ts';
import { useSelected } from './use-selected.ts';

/** Wall-clock ms of the controller, again every `everyMs`. */
export function useNow(everyMs = 1000): number {
  const { stream } = usePage();
  const aheadMs = useSelected(stream, ({ clockAheadMs }) => clockAheadMs);
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs + aheadMs;
}
