// A writer on a simulated stream, with all that it told.

import { GroupChain } from '../../src/cluster/log/group-chain.ts';
import { type ConfirmedGroup, GroupWriter } from '../../src/cluster/log/group-writer.ts';
import type { Leadership, LogPoint, StreamSequence } from '../../src/cluster/stream.ts';
import type { SimulatedConnection, SimulatedStream } from '../simulated/stream.ts';
import { framed, trust } from './groups.ts';

/** Bytes of a full group in tests: some frames of a short text. */
export const groupBytesMax = 256;

/** A process that wants to lead, and leads. */
export class Leader {
  readonly connection: SimulatedConnection;
  readonly writer: GroupWriter;
  readonly leadership: Leadership;
  readonly confirmed: ConfirmedGroup[] = [];
  /** Everything but confirmations, in short. */
  readonly told: string[] = [];
  /** Called with each confirmation. */
  onConfirmed: () => void = () => {};

  /** It has read the stream to its end. */
  constructor(stream: SimulatedStream, by: Leadership, end = endOf(stream)) {
    this.connection = stream.connect();
    this.leadership = by;
    this.writer = new GroupWriter({
      stream: this.connection,
      clock: stream.clock,
      trust: { ...trust, generation: stream.generation },
      leadership: by,
      after: end.last,
      sequence: end.sequence,
      payloadBytesMax: groupBytesMax,
      events: {
        confirmed: (group) => {
          this.confirmed.push(group);
          this.onConfirmed();
        },
        begun: () => void this.told.push('begun'),
        fenced: (reason) => void this.told.push(`fenced: ${reason}`),
        unreachable: (reason) => void this.told.push(`unreachable: ${reason}`),
        resumed: () => void this.told.push('resumed'),
        failed: (reason) => void this.told.push(`failed: ${reason}`),
      },
    });
  }

  /** Whether it may write. */
  get isLeading(): boolean {
    return this.told.includes('begun') && !this.hasEnded;
  }

  /** Whether it was told that it may not go on. */
  get hasEnded(): boolean {
    return this.told.some((told) => /^(fenced|failed)/.test(told));
  }

  /** Hands frames to the writer, one for each value, as one region. */
  write(...values: readonly unknown[]): void {
    this.writer.stage([Buffer.concat(values.map(framed))]);
  }
}

/** The end of a stream, as a node knows it that has read everything. */
export interface StreamEnd {
  readonly last: LogPoint;
  readonly sequence: StreamSequence;
}

/**
 * Reads the whole stream as a node does.
 * @throws GroupInvalid
 */
export function readAll(stream: SimulatedStream): { chain: GroupChain; frames: Buffer } {
  const chain = new GroupChain(trust, { lsn: 0, crc: 0 });
  const frames = stream.messages.map((message) => chain.next(message)?.frames ?? Buffer.alloc(0));
  return { chain, frames: Buffer.concat(frames) };
}

/** Where a stream ends that was never purged. */
export function endOf(stream: SimulatedStream): StreamEnd {
  return { last: readAll(stream).chain.last, sequence: stream.last };
}
