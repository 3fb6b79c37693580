// The history of one record: pages of the log, and newer transitions from the stream.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { TransitionPage } from '../../messages.ts';
import { instancesPath, pathWith } from '../api.ts';
import { quoted } from '../filter-text.ts';
import { usePage, useSelected, useStream } from '../page-context.ts';
import { mergedHistory, withLive } from '../stream-store.ts';
import { useAnswer, useAttempt } from '../use-api.ts';

const pageRows = 50;

/** The known history of a record. */
export type History = ReturnType<typeof useHistory>;

/** The history of one record, kept up to date. */
export function useHistory(kind: string, id: string) {
  const { stream, ask } = usePage();
  useStream(`id = ${quoted(id)}`);
  const live = useSelected(stream, (state) => state.transitions);
  const missed = useSelected(stream, (state) => state.attachments + state.droppedCount);
  const path = `${instancesPath(kind, id)}/transitions`;
  const { answer, problem, again } = useAnswer<TransitionPage>(pathWith(path, { limit: pageRows }));
  const [known, setKnown] = useState<TransitionPage>();
  const { isBusy: isAsking, problem: olderProblem, start } = useAttempt();
  // Transitions that were missed while the stream was closed, or dropped, are in the log.
  useEffect(() => {
    if (missed > 0) again();
  }, [missed, again]);
  useEffect(() => {
    if (answer !== undefined) setKnown((before) => mergedHistory(before, answer.data));
  }, [answer]);
  const changes = known?.changes ?? [];
  const reportedLsn = Math.max(changes[0]?.lsn ?? 0, known?.transitions[0]?.lsn ?? 0);
  const transitions = useMemo(
    () => known && withLive(known.transitions, reportedLsn, live, { kind, id }),
    [known, reportedLsn, live],
  );
  const older = () =>
    start(async () => {
      if (known === undefined) return;
      const beforeLsn = known.nextBeforeLsn;
      const query = { limit: pageRows, beforeLsn };
      const { data } = await ask<TransitionPage>(pathWith(path, query));
      // A newer page may have taken the place of all that was known, meanwhile.
      setKnown((now) => (now?.nextBeforeLsn === beforeLsn ? mergedHistory(now, data) : now));
    });
  return {
    /** Newest first; undefined until the log has answered. */
    transitions,
    /** Newest first; those that the stream told of since come with the next page. */
    changes,
    /** The newest frame that the log reported; 0 for none. */
    reportedLsn,
    /** The oldest frame in the kept log; 0 until the log has answered. */
    oldestLsn: known?.oldestLsn ?? 0,
    hasMore: known?.hasMore ?? false,
    isAsking,
    problem: problem?.message ?? olderProblem,
    /** Requests the newest ones from the log again. */
    again,
    /** Requests a page of older ones. */
    older,
  };
}
