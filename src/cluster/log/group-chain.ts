// Checks that each message of the stream follows those before it, as nodes read it
// (behaviour/cluster#terms).

import { frameBytesAt, stampOf } from '../../../snapshots/log/frame.ts';
import {
  type Group,
  type Leadership,
  type LogPoint,
  type Stream,
  type StreamMessage,
  type StreamSequence,
  StreamUnreachable,
} from '../stream.ts';
import { GroupInvalid, type GroupTrust, groupsInFlightMax, readGroup } from './group-message.ts';

/** A group that belongs to the log. */
export interface ChainedGroup {
  readonly group: Group;
  readonly sequence: StreamSequence;
  /** Its frames after those that were read before; all of them, as a rule. */
  readonly frames: Buffer;
}

/**
 * Reads the stream message by message from a point of the log on. The first message must be known
 * to belong to the log: message 1, the message of a snapshot, or one whose frames include the last
 * frame of the node.
 */
export class GroupChain {
  readonly #trust: GroupTrust;
  #point: LogPoint;
  #before: LogPoint | undefined;
  #leadership: Leadership | undefined;
  #sequence: StreamSequence | undefined;

  /** @param after the last frame that the node has */
  constructor(trust: GroupTrust, after: LogPoint) {
    this.#trust = trust;
    this.#point = after;
  }

  /** The last frame that was read, or that the node had before. */
  get last(): LogPoint {
    return this.#point;
  }

  /** The number of the last message that was read; undefined before the first. */
  get sequence(): StreamSequence | undefined {
    return this.#sequence;
  }

  /** Who led when the last message was sent; undefined before the first. */
  get leadership(): Leadership | undefined {
    return this.#leadership;
  }

  /**
   * Checks the next message. Undefined if its sender's leadership had ended before the message was
   * taken: it was never confirmed, and is passed over.
   * @throws GroupInvalid, after which nothing more may be read
   */
  next(message: StreamMessage): ChainedGroup | undefined {
    const { sequence } = message;
    const group = readGroup(message, this.#trust);
    const expected = this.#sequence === undefined ? sequence : this.#sequence + 1;
    if (sequence !== expected) {
      throw new GroupInvalid(sequence, `it comes where message ${expected} is expected`);
    }
    this.#sequence = sequence;
    if (this.#leadership !== undefined && group.term < this.#leadership.term) return undefined;
    const fault = this.#leadershipFault(group) ?? this.#chainFault(group);
    if (fault !== undefined) throw new GroupInvalid(sequence, fault);
    const frames = this.#newFrames(group, sequence);
    this.#leadership = { term: group.term, nonce: group.nonce };
    this.#before = group.last;
    if (frames.length > 0) this.#point = group.last;
    return { group, sequence, frames };
  }

  #leadershipFault({ kind, term, nonce }: Group): string | undefined {
    const known = this.#leadership;
    if (known === undefined) return undefined;
    if (term > known.term) {
      return kind === 'term' ? undefined : `term ${term} begins without its frame`;
    }
    if (nonce !== known.nonce) return `two processes send as leader of term ${term}`;
    return kind === 'term' ? `term ${term} begins twice` : undefined;
  }

  #chainFault({ after }: Group): string | undefined {
    const before = this.#before;
    if (before === undefined || equalPoints(before, after)) return undefined;
    return `it ${follows(after)}, but comes after ${placeText(before)}`;
  }

  /** The frames behind those that the node has, which must be the same as those in the stream. */
  #newFrames({ after, last, frames }: Group, sequence: StreamSequence): Buffer {
    const point = this.#point;
    if (last.lsn < point.lsn) return frames.subarray(0, 0);
    if (after.lsn > point.lsn) {
      throw new GroupInvalid(
        sequence,
        `it ${follows(after)}, this node ends with LSN ${point.lsn}`,
      );
    }
    let end = 0;
    let own: LogPoint = after;
    while (own.lsn < point.lsn) {
      own = stampOf(frames, end);
      end += frameBytesAt(frames, end);
    }
    if (own.crc !== point.crc) {
      const theirs = placeText({ lsn: point.lsn, crc: own.crc });
      throw new GroupInvalid(sequence, `it has ${theirs}, this node has ${placeText(point)}`);
    }
    return frames.subarray(end);
  }
}

/** A message that belongs to the log. */
export interface LogMessage {
  readonly message: StreamMessage;
  readonly group: Group;
}

/**
 * The last message up to `sequence` that belongs to the log: for a search in the stream, where a
 * single message does not show whether its sender's leadership had ended. Undefined if the messages
 * there were purged.
 * @throws GroupInvalid
 * @throws StreamUnreachable also if a message behind others is missing, which an old state of a
 *   server looks like
 */
export async function logMessageAt(
  stream: Stream,
  trust: GroupTrust,
  sequence: StreamSequence,
): Promise<LogMessage | undefined> {
  // A message that is passed over stands fewer numbers than that behind the term which ended it.
  const from = Math.max(1, sequence - groupsInFlightMax + 1);
  const numbers = Array.from({ length: sequence - from + 1 }, (_, index) => from + index);
  const messages = await Promise.all(numbers.map((number) => stream.read(number)));
  let found: LogMessage | undefined;
  for (const [index, message] of messages.entries()) {
    if (message === undefined) {
      if (found === undefined) continue;
      throw new StreamUnreachable(`message ${from + index} is missing in the stream`);
    }
    const group = readGroup(message, trust);
    if (found === undefined || group.term >= found.group.term) found = { message, group };
  }
  return found;
}

/**
 * The last frame that a stream holds; undefined for one that is empty, or whose last messages are
 * wrong, which its nodes find out themselves. Rejects with StreamUnreachable.
 */
export async function endOfLog(stream: Stream, trust: GroupTrust): Promise<LogPoint | undefined> {
  const { last } = await stream.state();
  if (last === 0) return undefined;
  try {
    return (await logMessageAt(stream, trust, last))?.group.last;
  } catch (error) {
    if (error instanceof GroupInvalid) return undefined;
    throw error;
  }
}

function equalPoints(one: LogPoint, other: LogPoint): boolean {
  return one.lsn === other.lsn && one.crc === other.crc;
}

function follows(point: LogPoint): string {
  return `follows ${placeText(point)}`;
}

function placeText({ lsn, crc }: LogPoint): string {
  return `LSN ${lsn} with checksum ${crc}`;
}
