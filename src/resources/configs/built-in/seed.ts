// The own fields of a built-in record; the fields of every record are added when it is written.

import type { RecordBase } from '../../../store/record.ts';

type Own<R extends RecordBase> = Omit<R, 'createdAt' | 'updatedAt' | 'tags'>;

type MayBeAbsent<R> = { [K in keyof R]-?: undefined extends R[K] ? K : never }[keyof R];

/** A record without its times and tags; fields that may be undefined may also be left out. */
export type Seed<R extends RecordBase> = Omit<Own<R>, MayBeAbsent<Own<R>>> &
  Partial<Pick<Own<R>, MayBeAbsent<Own<R>>>>;
