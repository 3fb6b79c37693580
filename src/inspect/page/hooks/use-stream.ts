// The transitions that a view subscribes to while it is shown.

import { useEffect } from 'preact/hooks';
import { usePage } from '../page-context.ts';

/** Subscribes to transitions that match `filter` (empty for all) while the component exists. */
export function useStream(filter: string): void {
  const { stream } = usePage();
  useEffect(() => {
    stream.send({ type: 'watch', filter });
    return () => stream.send({ type: 'watch', filter: undefined });
  }, [stream, filter]);
}
