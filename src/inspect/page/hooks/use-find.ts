// The content of the find box, and the effect of its keys (ARIA APG, "Editable Combobox With
// List").

import { useEffect, useState } from 'preact/hooks';
import { moved, type Suggestion } from '../suggestions.ts';
import { type Found, useFound } from './use-found.ts';
import { goTo } from './use-route.ts';

/** The box as it is, and what can happen to it. */
export interface Find {
  readonly text: string;
  readonly found: Found;
  /** Line that Enter takes; -1 for the first. */
  readonly active: number;
  readonly isShown: boolean;
  type(text: string): void;
  open(isOpen: boolean): void;
  press(event: KeyboardEvent): void;
  choose(suggestion: Suggestion | undefined): void;
}

/** A box that searches one kind, or all kinds if `kind` is empty. */
export function useFind(kind: string): Find {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const [isHasty, setHasty] = useState(false);
  const found = useFound(text, kind);
  const { suggestions, isAsking } = found;
  const isShown = isOpen && text.trim() !== '';
  const type = (typed: string) => {
    setText(typed);
    setActive(-1);
    setHasty(false);
    setOpen(true);
  };
  const choose = (suggestion: Suggestion | undefined) => {
    if (suggestion === undefined) return;
    type('');
    goTo(suggestion.route);
  };
  // If Enter is pressed before the answer arrives, its first line is taken.
  useEffect(() => {
    if (!isHasty || isAsking) return;
    setHasty(false);
    choose(suggestions[0]);
  }, [isHasty, isAsking, suggestions]);
  const press = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === 1 || by === -1) {
      event.preventDefault();
      setOpen(true);
      setActive(moved(active, by, suggestions.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (active < 0 && isAsking) setHasty(true);
      else choose(suggestions[Math.max(0, active)]);
    } else if (event.key === 'Escape') {
      if (isShown) setOpen(false);
      else type('');
    }
  };
  return { text, found, active, isShown, type, open: setOpen, press, choose };
}
