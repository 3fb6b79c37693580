// The history of one instance: pages of the log, and newer transitions from the stream.

import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { Transition, TransitionPage } from '../../contract.ts';
import { instancesPath, pathWith } from '../api.ts';
import { quoted } from '../filter-text.ts';
import { usePage, useSelected, useStream } from '../page-context.ts';
import { withLive, withOlder } from '../stream-store.ts';
import { useAnswer } from '../use-api.ts';

const pageRows = 50;

/** The known history of an instance. */
export interface History {
  /** Newest first; undefined until the log has answered. */
  readonly transitions: readonly Transition[] | undefined;
  /** The oldest frame in the kept log; 0 until the log has answered. */
  readonly oldestLsn: number;
  readonly hasMore: boolean;
  readonly isAsking: boolean;
  readonly problem: string;
  /** Requests the newest ones from the log again. */
  again(): void;
  /** Requests a page of older ones. */
  older(): void;
}

/** The older pages that were loaded, and whether there are more. */
interface Further {
  readonly pages: readonly (readonly Transition[])[];
  readonly hasMore: boolean;
}

/** The history of one instance, kept up to date. */
export function useHistory(kind: string, id: string): History {
  const { stream, ask } = usePage();
  useStream(`id = ${quoted(id)}`);
  const live = useSelected(stream, (state) => state.transitions);
  const missed = useSelected(stream, (state) => state.attachments + state.droppedCount);
  const path = `${instancesPath(kind, id)}/transitions`;
  const { answer, problem, again } = useAnswer<TransitionPage>(pathWith(path, { limit: pageRows }));
  const [further, setFurther] = useState<Further>();
  const [isAsking, setAsking] = useState(false);
  const [olderProblem, setOlderProblem] = useState('');
  // Transitions that were missed while the stream was closed, or dropped, are in the log.
  useEffect(() => {
    if (missed > 0) again();
  }, [missed, again]);
  const page = answer?.data;
  const told = useMemo(
    () => page && (further?.pages ?? []).reduce(withOlder, page.transitions),
    [page, further],
  );
  const transitions = useMemo(() => told && withLive(told, live, { kind, id }), [told, live]);
  const beforeLsn = told?.at(-1)?.lsn;
  const older = useCallback(() => {
    if (beforeLsn === undefined || isAsking) return;
    setAsking(true);
    setOlderProblem('');
    ask<TransitionPage>(pathWith(path, { limit: pageRows, beforeLsn }))
      .then(({ data }) => {
        setFurther((before) => ({
          pages: [...(before?.pages ?? []), data.transitions],
          hasMore: data.hasMore,
        }));
      })
      .catch((error: Error) => setOlderProblem(error.message))
      .finally(() => setAsking(false));
  }, [ask, path, beforeLsn, isAsking]);
  return {
    transitions,
    oldestLsn: page?.oldestLsn ?? 0,
    hasMore: further?.hasMore ?? page?.hasMore ?? false,
    isAsking,
    problem: problem?.message ?? olderProblem,
    again,
    older,
  };
}
