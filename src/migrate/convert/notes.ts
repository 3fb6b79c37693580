// What was noted about one entity, until it is known whether the entity is taken over.

import type { ReportWriter } from '../report.ts';

/** What a conversion says about the entity at hand. */
export interface EntityNotes {
  /** The entity is taken over with a change, which a sentence describes. */
  changed(sentence: string): void;
  /** The entity is taken over as it is, although ours would refuse it at a write. */
  kept(sentence: string): void;
  /** A field that says something has no place, or is cut; it is only counted. */
  dropped(field: string): void;
}

/** The notes about one entity. */
export class CollectedNotes implements EntityNotes {
  readonly #changed = new Set<string>();
  readonly #kept = new Set<string>();
  readonly #dropped = new Set<string>();

  changed(sentence: string): void {
    this.#changed.add(sentence);
  }

  kept(sentence: string): void {
    this.#kept.add(sentence);
  }

  dropped(field: string): void {
    this.#dropped.add(field);
  }

  /** Writes them into the report, as those of an entity that was taken over. */
  writeTo(
    report: ReportWriter,
    about: { readonly bucket: string; readonly id: string; readonly name: string | undefined },
  ): void {
    for (const text of this.#changed) report.changed({ ...about, text });
    for (const text of this.#kept) report.kept({ ...about, text });
    for (const field of this.#dropped) report.dropped(about.bucket, field);
  }
}
