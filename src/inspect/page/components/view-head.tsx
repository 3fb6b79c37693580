// The head of a view: its title, and what went wrong in it.

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

/** The title of a view. */
export interface ViewTitleProps {
  readonly title: string;
  /** Beside it: a mark, a few words. */
  readonly children?: ComponentChildren;
}

/**
 * The heading of a view and the title of the tab; there is one per page. It takes the focus when
 * the view changes (`app.tsx`).
 */
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

/** An error message, which screen readers announce; nothing if there is no problem. */
export function ProblemNote({ text }: { readonly text: string | undefined }) {
  if (text === undefined || text === '') return null;
  return (
    <p role="alert" class="note is-problem">
      {text}
    </p>
  );
}
