// Whether there is little room.

import { useEffect, useState } from 'preact/hooks';

const narrowQuery = '(max-width: 719px)';

/** Whether the page is on a phone, or in a window as narrow. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => window.matchMedia(narrowQuery).matches);
  useEffect(() => {
    const list = window.matchMedia(narrowQuery);
    const look = () => setNarrow(list.matches);
    list.addEventListener('change', look);
    return () => list.removeEventListener('change', look);
  }, []);
  return isNarrow;
}
