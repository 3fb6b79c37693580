// The expected contents of a home: every frame that was appended, and the records that the first of
// them leave.

import type { FrameContent, Lsn, StoredRecord } from '../../snapshots/journal.ts';

/** Records by kind and id. */
export type Records = Map<string, StoredRecord>;

/** The model that a home on a simulated disk is held against, over all its lives. */
export class Model {
  /** What was appended at each LSN; index 0 is unused. */
  readonly log: (FrameContent | 'seal')[] = ['seal'];
  /** Everything up to here must survive whatever comes. */
  acknowledgedLsn: Lsn = 0;
  readonly #states = new Map<Lsn, string>();

  /** The records that the first `lsn` frames leave, as a comparable text. */
  stateAt(lsn: Lsn): string {
    const known = this.#states.get(lsn);
    if (known !== undefined) return known;
    const state = textOf(this.#recordsAt(lsn));
    this.#states.set(lsn, state);
    return state;
  }

  /** Forgets the frames behind `lsn`: they were lost, as they were allowed to be. */
  cutAfter(lsn: Lsn): void {
    this.log.length = lsn + 1;
    for (const at of this.#states.keys()) if (at > lsn) this.#states.delete(at);
  }

  #recordsAt(lsn: Lsn): Records {
    const records: Records = new Map();
    for (let at = 1; at <= lsn; at++) {
      const frame = this.log[at];
      if (frame === undefined) throw new Error(`LSN ${at} was never appended`);
      if (frame !== 'seal') applyFrame(records, at, frame);
    }
    return records;
  }
}

/** Does to `records` what a frame says. */
export function applyFrame(records: Records, lsn: Lsn, { changes }: FrameContent): void {
  for (const { kind, id, version, values } of changes) {
    if (values === null) records.delete(`${kind} ${id}`);
    else records.set(`${kind} ${id}`, { kind, id, lsn, version, values });
  }
}

/** Records as text, whatever order they came in. */
export function textOf(records: ReadonlyMap<string, StoredRecord>): string {
  return JSON.stringify([...records].sort(([a], [b]) => (a < b ? -1 : 1)));
}
