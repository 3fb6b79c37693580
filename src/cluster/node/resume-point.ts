// Where in the stream a node goes on.

import { logMessageAt } from '../log/group-chain.ts';
import type { GroupTrust } from '../log/group-message.ts';
import type { Group, LogPoint, Stream, StreamMessage, StreamSequence } from '../stream.ts';

/** A node and the stream cannot both be right: nothing may go on before an operator has looked. */
export class LogFork extends Error {
  override readonly name = 'LogFork';
  /**
   * Whether the stream has lost what it had acknowledged, so that no node may lead. That is certain
   * only when it lasts (`certainMs`).
   */
  readonly isLoss: boolean;

  constructor(message: string, isLoss = false) {
    super(message);
    this.isLoss = isLoss;
  }
}

/** From where a node reads the stream. */
export interface Place {
  /** The message before which nothing is needed; 0 when the stream is empty. */
  readonly sequence: StreamSequence;
  /**
   * That message. It is read again, because it tells who led; the node may have its frames already.
   */
  readonly message: StreamMessage | undefined;
}

/**
 * The place from which a home that ends with `home` goes on.
 * @returns undefined when what follows was purged
 * @throws LogFork when the home has something that the stream does not have, or something else
 * @throws GroupInvalid
 * @throws StreamUnreachable
 */
export async function findPlace(
  stream: Stream,
  trust: GroupTrust,
  home: LogPoint,
): Promise<Place | undefined> {
  const { first, last } = await stream.state();
  if (last === 0) return { sequence: 0, message: undefined };
  if (last < first) throw new LogFork(`message ${last}, the last one, was purged`, true);
  const oldest = await logMessageAt(stream, trust, first);
  if (oldest === undefined || oldest.group.after.lsn > home.lsn) return undefined;
  // Between both, the last message of which the home has all frames, by bisection.
  let low = { sequence: first, found: oldest };
  for (let high = last + 1; high - low.sequence > 1; ) {
    const sequence = Math.floor((low.sequence + high) / 2);
    const found = await logMessageAt(stream, trust, sequence);
    // It was purged meanwhile.
    if (found === undefined) return undefined;
    if (found.group.last.lsn > home.lsn) high = sequence;
    else low = { sequence, found };
  }
  const { group, message } = low.found;
  checkEnd(group, low.sequence === last, home);
  return { sequence: message.sequence, message };
}

function checkEnd({ last }: Group, isLast: boolean, home: LogPoint): void {
  if (isLast && last.lsn < home.lsn) {
    const ends = `the stream ends at LSN ${last.lsn}`;
    throw new LogFork(`${ends}, and this node has LSN ${home.lsn}`, true);
  }
  if (last.lsn !== home.lsn || last.crc === home.crc) return;
  const own = `this node has checksum ${home.crc} at LSN ${home.lsn}`;
  throw new LogFork(`${own}, and the stream has ${last.crc}`);
}
