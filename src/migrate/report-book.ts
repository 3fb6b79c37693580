// Keeps the report of a migration in bounded memory: everything is counted, the first remarks of
// each sort are kept in full.

import type {
  BucketReport,
  ConversionReport,
  LeaveOut,
  Remark,
  ReportWriter,
  Stop,
} from './report.ts';

/** Remarks of one sort that are kept for a bucket; the others are counted. @bound */
const remarksShownMax = 1000;
/** Unknown buckets, and unknown fields of a bucket, that are named. @bound */
const unknownNamesMax = 200;
/** Characters of a name, an id or a sentence that are kept: peers bound none of them. @bound */
const remarkCharactersMax = 1000;

/** The report of one migration. */
export class ReportBook implements ReportWriter {
  readonly #buckets = new Map<string, BucketBook>();
  readonly #unknownBuckets = new NamedCounts();
  readonly #stops = new Map<LeaveOut, SomeOf<string>>();
  #stopped: ConversionReport['stopped'];
  readonly #agreed: ReadonlySet<LeaveOut>;

  /** @param agreed what the operator agrees to leave out */
  constructor(agreed: ReadonlySet<LeaveOut>) {
    this.#agreed = agreed;
  }

  read(bucket: string): void {
    this.#of(bucket).read += 1;
  }

  taken(bucket: string): void {
    this.#of(bucket).taken += 1;
  }

  leftOut(remark: Remark): void {
    const book = this.#of(remark.bucket);
    book.leftOut += 1;
    book.leftOutRemarks.add(shortened(remark));
  }

  changed(remark: Remark): void {
    const book = this.#of(remark.bucket);
    if (book.lastChanged !== remark.id) book.changed += 1;
    book.lastChanged = remark.id;
    book.changedRemarks.add(shortened(remark));
  }

  kept(remark: Remark): void {
    this.#of(remark.bucket).keptRemarks.add(shortened(remark));
  }

  damaged(remark: Remark): void {
    this.#of(remark.bucket).damagedRemarks.add(shortened(remark));
  }

  passed(bucket: string, entities: number, reason: string): void {
    const book = this.#of(bucket);
    book.read += entities;
    book.leftOut += entities;
    book.reason = reason;
  }

  dropped(bucket: string, field: string): void {
    this.#of(bucket).dropped.add(field);
  }

  stopped(stoppedAtMs: number, areSessionsKept: boolean): void {
    this.#stopped = { atMs: stoppedAtMs, areSessionsKept };
  }

  unknown(bucket: string, field?: string): void {
    if (field === undefined) this.#unknownBuckets.add(bucket);
    else this.#of(bucket).unknown.add(field);
  }

  stop({ what, text }: Stop): boolean {
    const sentences = this.#stops.get(what) ?? new SomeOf<string>();
    this.#stops.set(what, sentences);
    sentences.add(text.slice(0, remarkCharactersMax));
    return this.#agreed.has(what);
  }

  /** How many entities hold content that cannot be read; more than 0 fails the migration. */
  get damagedCount(): number {
    let count = 0;
    for (const { damagedRemarks } of this.#buckets.values()) count += damagedRemarks.count;
    return count;
  }

  /** Whether something came up that the operator has not agreed to leave out. */
  get isStopped(): boolean {
    return [...this.#stops.keys()].some((what) => !this.#agreed.has(what));
  }

  /** The report as JSON. Buckets come in the order in which they were first mentioned. */
  get json(): ConversionReport {
    return {
      ...(this.#stopped && { stopped: this.#stopped }),
      buckets: [...this.#buckets].map(([bucket, book]) => ({ bucket, ...book.json })),
      unknownBuckets: this.#unknownBuckets.list,
      stops: [...this.#stops].map(([what, sentences]) => ({
        what,
        isAgreed: this.#agreed.has(what),
        ...sentences.list,
      })),
    };
  }

  #of(bucket: string): BucketBook {
    let book = this.#buckets.get(bucket);
    if (book === undefined) this.#buckets.set(bucket, (book = new BucketBook()));
    return book;
  }
}

type ShortRemark = Omit<Remark, 'bucket'>;

/** What is noted about one bucket. */
class BucketBook {
  read = 0;
  taken = 0;
  leftOut = 0;
  changed = 0;
  lastChanged: string | undefined;
  reason: string | undefined;
  readonly leftOutRemarks = new SomeOf<ShortRemark>();
  readonly changedRemarks = new SomeOf<ShortRemark>();
  readonly keptRemarks = new SomeOf<ShortRemark>();
  readonly damagedRemarks = new SomeOf<ShortRemark>();
  readonly dropped = new NamedCounts();
  readonly unknown = new NamedCounts();

  get json(): Omit<BucketReport, 'bucket'> {
    const { read, taken, leftOut, changed, reason } = this;
    return {
      read,
      taken,
      leftOut,
      changed,
      ...(reason === undefined ? {} : { reason }),
      leftOutRemarks: this.leftOutRemarks.list,
      changedRemarks: this.changedRemarks.list,
      keptRemarks: this.keptRemarks.list,
      damagedRemarks: this.damagedRemarks.list,
      droppedFields: this.dropped.json,
      unknownFields: this.unknown.json,
    };
  }
}

/** The first of many things, and how many there were. */
class SomeOf<T> {
  readonly #shown: T[] = [];
  count = 0;

  add(thing: T): void {
    this.count += 1;
    if (this.#shown.length < remarksShownMax) this.#shown.push(thing);
  }

  get list(): { readonly shown: readonly T[]; readonly furtherCount: number } {
    return { shown: this.#shown, furtherCount: this.count - this.#shown.length };
  }
}

/** How often each of some names came up. Names beyond the bound are counted together. */
class NamedCounts {
  readonly #counts = new Map<string, number>();
  #others = 0;

  add(name: string): void {
    const short = name.slice(0, remarkCharactersMax);
    const count = this.#counts.get(short) ?? 0;
    if (count > 0 || this.#counts.size < unknownNamesMax) this.#counts.set(short, count + 1);
    else this.#others += 1;
  }

  get json(): Readonly<Record<string, number>> {
    const others = this.#others === 0 ? [] : [[otherNames, this.#others] as const];
    return Object.fromEntries([...this.#counts, ...others]);
  }

  get list(): { readonly shown: readonly string[]; readonly furtherCount: number } {
    return { shown: [...this.#counts.keys()], furtherCount: this.#others };
  }
}

/** Stands for the names beyond the bound; no field of the peer has spaces in its name. */
const otherNames = 'all other fields';

function shortened({ id, name, text }: Remark): ShortRemark {
  const short = (whole: string) => whole.slice(0, remarkCharactersMax);
  return { id: short(id), ...(name === undefined ? {} : { name: short(name) }), text: short(text) };
}
