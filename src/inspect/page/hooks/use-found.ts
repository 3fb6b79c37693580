// The results for a typed text, requested from the controller once the typing pauses.

import { useEffect, useState } from 'preact/hooks';
import type { InstanceRow, MachineView } from '../../contract.ts';
import { instancesPath, pathWith } from '../api-base.ts';
import { ApiProblem } from '../ask.ts';
import { filterOf } from '../filter-text.ts';
import { usePage } from '../page-context.ts';
import { instancePlace, namedPlaces, ranked, type Suggestion, wholeList } from '../suggestions.ts';
import { useDebounced } from './use-debounced.ts';

const restMs = 220;
const placesMax = 5;
const instancesMaxOfAll = 3;
const instancesMaxOfOne = 8;

/** Lines to show for a text. */
export interface Found {
  readonly suggestions: readonly Suggestion[];
  /** The shown lines are for an earlier text, or are not complete yet. */
  readonly isAsking: boolean;
  /** Why no kind took the filter; empty when one did. */
  readonly problem: string;
}

const nothing: Found = { suggestions: [], isAsking: false, problem: '' };

interface Held extends Found {
  /** Kind and text that it was found for. */
  readonly of: string;
}

/** Searches one kind, or all kinds if `kind` is empty. */
export function useFound(typed: string, kind: string): Found {
  const { ask, machines } = usePage();
  const text = useDebounced(typed, restMs);
  const [found, setFound] = useState<Held>({ ...nothing, of: '' });
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
