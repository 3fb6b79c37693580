// The content of the find box: what its keys do (ARIA APG, "Editable Combobox With List"), and what
// the controller finds for the typed text once the typing pauses.

import { useEffect, useState } from 'preact/hooks';
import type { FoundRecords, InstanceRow } from '../../messages.ts';
import { ApiProblem, type Ask, instancesPath, pathWith } from '../api.ts';
import { isExpression } from '../filter-text.ts';
import { usePage } from '../page-context.ts';
import { goTo } from '../use-route.ts';
import {
  foundPlaces,
  moved,
  namedPlaces,
  ranked,
  type Suggestion,
  unsearchedNote,
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
  /** Why nothing could be looked up, such as a filter that no kind takes; empty otherwise. */
  readonly problem: string;
  /** Which kinds were not searched to their end; empty for none. */
  readonly unsearched: string;
  /** Kind and text that it was found for. */
  readonly of: string;
}

const nothing: Found = { suggestions: [], isAsking: false, problem: '', unsearched: '', of: '' };

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
    setFound({ ...nothing, suggestions: places, isAsking: true, of });
    const search = { text, kind, kinds: asked.map(({ id }) => id), signal: abort.signal };
    lookUp(ask, search).then(
      (groups) => {
        const lines = groups.flatMap((group) => foundPlaces(group, text));
        const suggestions = [...places, ...ranked(lines, text)];
        setFound({ ...nothing, suggestions, unsearched: unsearchedNote(groups), of });
      },
      (reason: unknown) => {
        if (abort.signal.aborted) return;
        const problem = reason instanceof Error ? reason.message : String(reason);
        setFound({ ...nothing, suggestions: places, problem, of });
      },
    );
    return () => abort.abort();
  }, [ask, machines, text, kind, of]);
  if (typed.trim() === '') return nothing;
  return typed === text && found.of === of ? found : { ...found, isAsking: true };
}

interface RecordSearch {
  readonly text: string;
  /** Empty for all kinds. */
  readonly kind: string;
  /** The kinds that a filter is tried on. */
  readonly kinds: readonly string[];
  readonly signal: AbortSignal;
}

/** A text is searched for in all kinds at once; a filter is tried on one kind after the other. */
async function lookUp(ask: Ask, search: RecordSearch): Promise<readonly FoundRecords[]> {
  const { text, kind, kinds, signal } = search;
  const limit = kind === '' ? instancesMaxOfAll : instancesMaxOfOne;
  if (!isExpression(text)) {
    const path = pathWith('/inspect/search', { text: text.trim(), kind, limit });
    return (await ask<readonly FoundRecords[]>(path, { signal })).data;
  }
  const found: FoundRecords[] = [];
  let refusal: ApiProblem | undefined;
  let isTaken = false;
  for (const id of kinds) {
    const path = pathWith(instancesPath(id), { filter: text.trim(), limit });
    try {
      const { data, totalCount } = await ask<readonly InstanceRow[]>(path, { signal });
      isTaken = true;
      if (data.length > 0) {
        found.push({ kind: id, total: totalCount, instances: data, isWhole: true });
      }
    } catch (problem) {
      // Most kinds do not have all the fields of a filter.
      if (!(problem instanceof ApiProblem) || problem.status !== 400) throw problem;
      refusal = problem;
    }
  }
  if (!isTaken && refusal !== undefined) throw refusal;
  return found;
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
