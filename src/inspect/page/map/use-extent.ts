// The size of an element as the window changes.

import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Extent } from './camera.ts';

/** Width and height of the element, px; 0 until it is there. */
export function useExtent(element: RefObject<HTMLElement | null>): Extent {
  const [extent, setExtent] = useState<Extent>({ width: 0, height: 0 });
  useEffect(() => {
    const watched = element.current;
    if (watched === null) return;
    const watch = new ResizeObserver(() => {
      setExtent({ width: watched.clientWidth, height: watched.clientHeight });
    });
    watch.observe(watched);
    return () => watch.disconnect();
  }, [element]);
  return extent;
}
