// The content of the find box: what its keys do (ARIA APG, "Editable Combobox With List"), and what
// the controller finds for the typed text once the typing pauses.

import { useEffect, useState } from 'preact/hooks';
import type { InstanceRow, MachineView } from '../../contract.ts';
import { ApiProblem, instancesPath, pathWith } from '../api.ts';
import { filterOf } from '../filter-text.ts';
import { usePage } from '../page-context.ts';
import { goTo } from '../use-route.ts';
import {
  instancePlace,
  moved,
  namedPlaces,
  ranked,
  type Suggestion,
  wholeList,
} from './suggestions.ts';

/** The box as it is. */
export type Find = ReturnType<typeof useFind>;

/** The box as it is, and what can happen to it; it searches all kinds if `kind` is empty. */
export function useFind(kind: string) {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  // The line that Enter takes; -1 for the first.
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

const placesMax = 5;
const instancesMaxOfAll = 3;
const instancesMaxOfOne = 8;

/** Lines to show for a text. */
interface Found {
  readonly suggestions: readonly Suggestion[];
  /** The shown lines are for an earlier text, or are not complete yet. */
  readonly isAsking: boolean;
  /** Why no kind took the filter; empty when one did. */
  readonly problem: string;
  /** Kind and text that it was found for. */
  readonly of: string;
}

const nothing: Found = { suggestions: [], isAsking: false, problem: '', of: '' };

/** Searches one kind, or all kinds if `kind` is empty. */
function useFound(typed: string, kind: string): Found {
  const { ask, machines } = usePage();
  const text = useDebounced(typed);
  const [found, setFound] = useState(nothing);
  const of = `${kind} ${text}`;
  useEffect(() => {
    if (text.trim() === '') {
      setFound({ ...nothing, of });
      return;
    }
    const abort = new AbortController();
    const all = machines.getSnapshot().context.machines ?? [];
    const asked = kind === '' ? all : all.filter(({ id }) => id === kind);
    const places = kind === '' ? namedPlaces(all, text, placesMax) : [];
    setFound({ suggestions: places, isAsking: true, problem: '', of });
    const limit = kind === '' ? instancesMaxOfAll : instancesMaxOfOne;
    const one = async ({ id }: MachineView) => {
      const path = pathWith(instancesPath(id), { filter: filterOf(text), limit });
      const { data, totalCount } = await ask<readonly InstanceRow[]>(path, {
        signal: abort.signal,
      });
      const lines = data.map((row) => instancePlace(id, row));
      return totalCount > data.length ? [...lines, wholeList(id, text, totalCount)] : lines;
    };
    void Promise.allSettled(asked.map(one)).then((results) => {
      if (abort.signal.aborted) return;
      const lines = results.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
      const reason = results.find((each) => each.status === 'rejected')?.reason as unknown;
      const isRefused = results.every(({ status }) => status === 'rejected');
      const problem = isRefused && reason instanceof ApiProblem ? reason.message : '';
      setFound({ suggestions: [...places, ...ranked(lines, text)], isAsking: false, problem, of });
    });
    return () => abort.abort();
  }, [ask, machines, text, kind, of]);
  if (typed.trim() === '') return nothing;
  return typed === text && found.of === of ? found : { ...found, isAsking: true };
}

/** Typing has paused when a text has stayed the same for so long. */
const pauseMs = 220;

/** A text as it was when the typing paused last. */
function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
