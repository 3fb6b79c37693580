// Requests of a component: an answer that is asked for when the component appears and again as
// needed, and an order that the user gives.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiAnswer, ApiProblem } from './api.ts';
import { usePage } from './page-context.ts';

interface Held<Data> {
  readonly path: string;
  readonly answer?: ApiAnswer<Data> | undefined;
  readonly problem?: ApiProblem | undefined;
}

/** Slow requests are sent less often: they take at most this share of the controller's time. */
const shareMax = 1 / 20;

/**
 * Asks for `path`, and with `everyMs` again so long after each answer while the tab is looked at,
 * or later where answers take their time, until there is nothing (404). The former answer is kept
 * until the next one arrives.
 */
export function useAnswer<Data>(path: string, everyMs?: number) {
  const { ask } = usePage();
  const [held, setHeld] = useState<Held<Data>>({ path });
  const askNow = useRef<() => void>(() => undefined);
  useEffect(() => {
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isAsking = false;
    let isAskedAgain = false;
    let isGone = false;
    const look = async (): Promise<void> => {
      if (isAsking) {
        isAskedAgain = true;
        return;
      }
      clearTimeout(timer);
      isAsking = true;
      isAskedAgain = false;
      const askedMs = performance.now();
      try {
        if (everyMs === undefined || !document.hidden) {
          const answer = await ask<Data>(path, { signal: abort.signal });
          if (!abort.signal.aborted) setHeld({ path, answer });
        }
      } catch (problem) {
        if (abort.signal.aborted) return;
        const known = problem instanceof ApiProblem ? problem : new ApiProblem(0, '', `${problem}`);
        setHeld((before) => ({ ...before, path, problem: known }));
        isGone = known.status === 404;
      }
      isAsking = false;
      if (abort.signal.aborted) return;
      if (isAskedAgain) void look();
      else if (everyMs !== undefined && !isGone) {
        const tookMs = performance.now() - askedMs;
        timer = setTimeout(look, Math.max(everyMs, tookMs / shareMax));
      }
    };
    askNow.current = () => void look();
    void look();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [ask, path, everyMs]);
  const again = useCallback(() => askNow.current(), []);
  const isOfPath = held.path === path;
  return {
    /** The last answer for this path; undefined until there is one. */
    answer: isOfPath ? held.answer : undefined,
    problem: isOfPath ? held.problem : undefined,
    /** Asks once more: at once, or after the answer that is on its way. */
    again,
  };
}

/** Carries out tasks that the user starts, one at a time. */
export function useAttempt() {
  const [isBusy, setBusy] = useState(false);
  /** Why the last one failed; empty when it did not. */
  const [problem, setProblem] = useState('');
  /** Resolves with whether `task` succeeded; does nothing while another is under way. */
  const start = async (task: () => Promise<unknown>): Promise<boolean> => {
    if (isBusy) return false;
    setBusy(true);
    setProblem('');
    try {
      await task();
      return true;
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, start };
}
