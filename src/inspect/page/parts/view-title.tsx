// The heading of a view, and the title of the tab.

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

/** The title of a view. */
export interface ViewTitleProps {
  readonly title: string;
  /** Beside it: a mark, a few words. */
  readonly children?: ComponentChildren;
}

/** Takes the focus when the view changes (`shell.tsx`); there is one per page. */
export function ViewTitle({ title, children }: ViewTitleProps) {
  useEffect(() => {
    document.title = `${title} · Edge Control`;
  }, [title]);
  return (
    <div class="view-title">
      <h1 tabIndex={-1}>{title}</h1>
      {children}
    </div>
  );
}
