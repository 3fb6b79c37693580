// Which transitions a view wants while it is shown.

import { useEffect } from 'preact/hooks';
import { usePage } from '../page-context.ts';

/** Watches what `filter` lets through (empty for all) for as long as the component is there. */
export function useStream(filter: string): void {
  const { stream } = usePage();
  useEffect(() => {
    stream.send({ type: 'watch', filter });
    return () => stream.send({ type: 'watch', filter: undefined });
  }, [stream, filter]);
}
