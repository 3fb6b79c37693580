// One of the most important facts about what a view shows.

import type { ComponentChildren } from 'preact';

/** What a fact is about, and the fact. */
export interface FactProps {
  readonly term: string;
  readonly children: ComponentChildren;
}

/** Within a list of facts. */
export function Fact({ term, children }: FactProps) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
