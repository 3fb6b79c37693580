// Whether a node may lead, from all that it could learn about the others.

import type { Formats, HighWaterMark, Member } from '../membership.ts';
import type { Generation, LogPoint } from '../stream.ts';

/** Where a member says that it is. */
export interface MemberPosition extends LogPoint {
  readonly generation: Generation;
}

/** How much worse than a warning a clock may be before its node does not lead. */
const clockSkewFactor = 10;

/** What a candidate knows. */
export interface StandingFacts {
  readonly self: Pick<Member, 'id' | 'formats' | 'settingsHash'>;
  /** The end of the stream, which the candidate has applied. */
  readonly end: MemberPosition;
  readonly members: readonly Member[];
  /** What all nodes write. */
  readonly formats: Formats;
  readonly marks: readonly HighWaterMark[];
  /** By id: what the members answered that could be reached. */
  readonly answers: ReadonlyMap<string, MemberPosition>;
  /** The checksum of an earlier frame, as far as the candidate remembers it. */
  crcAt(lsn: number): number | undefined;
  readonly clockSkewMs: number;
  /** Beyond this, operators are warned. */
  readonly clockSkewWarnMs: number;
  /** Whether an operator has decided that too few answers suffice. */
  readonly isForced: boolean;
}

/**
 * Why the node may not lead, as a sentence; undefined when it may (behaviour/cluster#standing).
 */
export function objectionTo(facts: StandingFacts): string | undefined {
  return (
    clockObjection(facts) ??
    firstOf(facts.answers, ([id, position]) => positionObjection(facts, `node ${id}`, position)) ??
    firstOf(facts.marks, (mark) =>
      positionObjection(facts, `the high-water mark of node ${mark.id}`, mark),
    ) ??
    formatObjection(facts) ??
    settingsObjection(facts) ??
    majorityObjection(facts)
  );
}

function firstOf<T>(
  all: Iterable<T>,
  objection: (one: T) => string | undefined,
): string | undefined {
  for (const one of all) {
    const found = objection(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

function clockObjection({ clockSkewMs, clockSkewWarnMs }: StandingFacts): string | undefined {
  if (Math.abs(clockSkewMs) <= clockSkewWarnMs * clockSkewFactor) return undefined;
  return `the clock of this node differs from that of the server by ${Math.round(clockSkewMs)} ms`;
}

/**
 * Why no node may lead because of one position, as a sentence: somebody has more than the stream,
 * or something else, so the stream has lost messages.
 */
export function positionObjection(
  facts: Pick<StandingFacts, 'end' | 'crcAt'>,
  whose: string,
  position: MemberPosition,
): string | undefined {
  const { end } = facts;
  if (position.generation > end.generation) {
    return `${whose} is of generation ${position.generation}, the stream of ${end.generation}`;
  }
  if (position.generation < end.generation) return undefined;
  if (position.lsn > end.lsn) {
    return `${whose} is at LSN ${position.lsn}, and the stream ends at ${end.lsn}`;
  }
  const crc = position.lsn === end.lsn ? end.crc : facts.crcAt(position.lsn);
  if (crc === undefined || crc === position.crc) return undefined;
  return `${whose} has checksum ${position.crc} at LSN ${position.lsn}, the stream has ${crc}`;
}

/** An upgrade has become final while this node was running. */
function formatObjection({ self, formats }: StandingFacts): string | undefined {
  return firstOf(Object.entries(formats), ([name, version]) => {
    const own = self.formats[name] ?? 0;
    if (version <= own) return undefined;
    return `the nodes write version ${version} of ${name}, this one reads ${own}`;
  });
}

/**
 * New settings spread node by node; what more than half of the nodes have in common is in force.
 */
function settingsObjection({ self, members }: StandingFacts): string | undefined {
  const others = members.filter(({ id }) => id !== self.id);
  const counts = new Map<string, number>();
  for (const { settingsHash } of others) {
    counts.set(settingsHash, (counts.get(settingsHash) ?? 0) + 1);
  }
  return firstOf(counts, ([hash, count]) => {
    if (hash === self.settingsHash || count * 2 <= others.length + 1) return undefined;
    return 'the settings of this node differ from those that most nodes share';
  });
}

function majorityObjection(facts: StandingFacts): string | undefined {
  const { self, members, marks, answers, isForced } = facts;
  if (isForced) return undefined;
  const nodes = new Set([self.id, ...[...members, ...marks].map(({ id }) => id)]);
  const heard = [...answers.keys()].filter((id) => id !== self.id).length + 1;
  if (heard * 2 > nodes.size) return undefined;
  return `only ${heard} of ${nodes.size} nodes were heard`;
}
