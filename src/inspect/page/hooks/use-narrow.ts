// Whether the page has little width.

import { useEffect, useState } from 'preact/hooks';

const query = '(max-width: 719px)';

/** True on a phone, or in a window as narrow. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => window.matchMedia(query).matches);
  useEffect(() => {
    const list = window.matchMedia(query);
    const look = () => setNarrow(list.matches);
    list.addEventListener('change', look);
    return () => list.removeEventListener('change', look);
  }, []);
  return isNarrow;
}
