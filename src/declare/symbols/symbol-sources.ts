// The names of a resource in filters, as it declares them. Nothing here knows of requests, so that
// the compiled names can be part of the environment that every request is given.

import type { Budget, IndexPath, Scalar, ValueType } from '../../filter/scope.ts';
import type { RecordBase, Row } from '../../store/record.ts';
import type { Store } from '../../store/store.ts';
import type { Kind } from '../kinds/kind.ts';
import type { MemberLookups } from '../lists/access-lookups.ts';

/** The parts of the controller that filters read while they look at a row. */
export interface Lookups {
  readonly store: Store;
  /** The members that roles and policies select, for lists and filters. */
  readonly access: MemberLookups;
}

/** The source of a symbol's value: the named field, or a function of the record. */
export type SymbolSource<R, Env extends Lookups = Lookups> =
  | string
  | {
      readonly type: ValueType;
      /** Undefined for a missing value. */
      read(record: R, env: Env): Scalar | undefined;
      /** Steps of the filter budget that a read takes, if it costs more than a plain read. */
      readonly steps?: number;
      /** Finds records by equality. */
      readonly index?: IndexPath<Row, Env>;
      /** It depends only on the record. */
      readonly isOwn?: boolean;
    }
  | {
      readonly type: ValueType;
      readAll(record: R, env: Env): readonly Scalar[];
    };

/** A set of rows that no relation gives, such as the services that an identity may dial. */
export interface LinkedSlots<Env extends Lookups = Lookups> {
  /** Kind of the rows. */
  readonly kind: string;
  /** Further kinds whose records the set depends on. */
  readonly restsOn: readonly string[];
  /** Computed while they are read; each one is charged to the budget before. */
  slots(row: Row, env: Env, budget: Budget): Iterable<number>;
  /** Like `LinkedSet.count` of the filter language. */
  count(row: Row, env: Env, budget: Budget, enough: number): number | undefined;
}

/** The parts of a resource that give its names in filters. */
export interface SymbolOwner {
  readonly kind: Kind;
  readonly path: string;
  readonly names: { readonly many: string };
  /** All public filter symbols. */
  readonly symbols: readonly string[];
  readonly symbolSources?: Readonly<Record<string, SymbolSource<RecordBase>>>;
  readonly linkedSets?: Readonly<Record<string, LinkedSlots>>;
}
