// What a node asks before it tries to lead.

import type { Clock } from '../../platform/ports.ts';
import type { Member, Members } from '../membership.ts';
import { removedNode } from './member-record.ts';
import { type MemberPosition, objectionTo, type StandingFacts } from './standing.ts';

/**
 * For the answers of other nodes. A node that is alive answers in a few ms, and a machine that is
 * gone must not hold up a takeover.
 */
export const replyTimeoutMs = 500;

/** Asks a member for its last frame; rejects when it cannot be reached. */
export type AskMember = (member: Member) => Promise<MemberPosition>;

/** By what a candidate finds out. */
export interface CandidateOptions {
  readonly members: Members;
  readonly ask: AskMember;
  readonly clock: Clock;
}

/** What comes out. */
export type Finding =
  | { readonly kind: 'may' }
  | { readonly kind: 'mayNot'; readonly reason: string }
  /** No node may, until an operator has repaired the cluster. */
  | { readonly kind: 'halt'; readonly reason: string };

/**
 * Whether a node may lead.
 * @throws StreamUnreachable when the directory of the members does not answer
 */
export async function findObjection(
  { members, ask, clock }: CandidateOptions,
  own: Omit<StandingFacts, 'members' | 'formats' | 'marks' | 'answers'>,
): Promise<Finding> {
  const [halt, removed, list, marks, formats = {}] = await Promise.all([
    members.halt(),
    members.removed(),
    members.list(),
    members.marks(),
    members.formats(),
  ]);
  if (halt !== undefined) return { kind: 'halt', reason: halt };
  if (removed.includes(own.self.id)) return { kind: 'halt', reason: removedNode };
  const others = list.filter(({ id }) => id !== own.self.id);
  const answers = await answersOf(others, ask, clock);
  const { self, end, clockSkewMs, clockSkewWarnMs, isForced } = own;
  const crcAt = (lsn: number) => own.crcAt(lsn);
  const known = { self, end, clockSkewMs, clockSkewWarnMs, isForced, crcAt };
  const reason = objectionTo({ ...known, members: list, formats, marks, answers });
  return reason === undefined ? { kind: 'may' } : { kind: 'mayNot', reason };
}

/** All answers that come in time. */
function answersOf(
  members: readonly Member[],
  ask: AskMember,
  clock: Clock,
): Promise<ReadonlyMap<string, MemberPosition>> {
  const answers = new Map<string, MemberPosition>();
  return new Promise((resolve) => {
    const limit = clock.after(replyTimeoutMs, () => resolve(answers));
    const asked = members.map(async (member) => {
      try {
        answers.set(member.id, await ask(member));
      } catch {
        // A node that cannot be reached counts as not heard.
      }
    });
    void Promise.all(asked).then(() => {
      limit.cancel();
      resolve(answers);
    });
  });
}
