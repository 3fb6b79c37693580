// The lines below the find box.

import type { Found } from '../hooks/use-found.ts';
import type { Suggestion } from '../suggestions.ts';
import { StateMark } from './state-mark.tsx';

/** The results and the active line. */
export interface FoundListProps {
  readonly id: string;
  readonly found: Found;
  readonly isShown: boolean;
  readonly active: number;
  onChoose(suggestion: Suggestion): void;
}

/** A listbox, and a word where it is empty. */
export function FoundList({ id, found, isShown, active, onChoose }: FoundListProps) {
  const { suggestions, isAsking, problem } = found;
  const word = isAsking ? 'Looking…' : problem === '' ? 'Nothing found.' : problem;
  return (
    <div class="found" hidden={!isShown}>
      <div id={id} role="listbox" aria-label="Found">
        {suggestions.map((suggestion, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox takes the keys.
          <div
            key={suggestion.key}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            // The focus stays in the box, and so the list stays open until the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(suggestion)}
          >
            <span class="found-title">{suggestion.title}</span>
            <span class="found-detail">{suggestion.detail}</span>
            <span class="found-kind">{suggestion.kind}</span>
            {suggestion.state === '' ? null : (
              <StateMark kind={suggestion.kind} state={suggestion.state} />
            )}
          </div>
        ))}
      </div>
      <p role="status" class="found-word">
        {isShown && suggestions.length === 0 ? word : ''}
      </p>
    </div>
  );
}
