// The history of one instance: pages of the log, and newer transitions from the stream.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { TransitionPage } from '../../contract.ts';
import { instancesPath, pathWith } from '../api.ts';
import { quoted } from '../filter-text.ts';
import { usePage, useSelected, useStream } from '../page-context.ts';
import { withLive, withOlder } from '../stream-store.ts';
import { useAnswer, useAttempt } from '../use-api.ts';

const pageRows = 50;

/** The known history of an instance. */
export type History = ReturnType<typeof useHistory>;

/** The history of one instance, kept up to date. */
export function useHistory(kind: string, id: string) {
  const { stream, ask } = usePage();
  useStream(`id = ${quoted(id)}`);
  const live = useSelected(stream, (state) => state.transitions);
  const missed = useSelected(stream, (state) => state.attachments + state.droppedCount);
  const path = `${instancesPath(kind, id)}/transitions`;
  const { answer, problem, again } = useAnswer<TransitionPage>(pathWith(path, { limit: pageRows }));
  const [olderPages, setOlderPages] = useState<readonly TransitionPage[]>([]);
  const { isBusy: isAsking, problem: olderProblem, start } = useAttempt();
  // Transitions that were missed while the stream was closed, or dropped, are in the log.
  useEffect(() => {
    if (missed > 0) again();
  }, [missed, again]);
  const page = answer?.data;
  const told = useMemo(
    () => page && olderPages.map((each) => each.transitions).reduce(withOlder, page.transitions),
    [page, olderPages],
  );
  const transitions = useMemo(() => told && withLive(told, live, { kind, id }), [told, live]);
  const older = () =>
    start(async () => {
      const beforeLsn = told?.at(-1)?.lsn;
      if (beforeLsn === undefined) return;
      const { data } = await ask<TransitionPage>(pathWith(path, { limit: pageRows, beforeLsn }));
      setOlderPages((before) => [...before, data]);
    });
  return {
    /** Newest first; undefined until the log has answered. */
    transitions,
    /** The oldest frame in the kept log; 0 until the log has answered. */
    oldestLsn: page?.oldestLsn ?? 0,
    hasMore: (olderPages.at(-1) ?? page)?.hasMore ?? false,
    isAsking,
    problem: problem?.message ?? olderProblem,
    /** Requests the newest ones from the log again. */
    again,
    /** Requests a page of older ones. */
    older,
  };
}
