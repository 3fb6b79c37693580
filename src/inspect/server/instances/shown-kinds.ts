// Every kind of record that lines of the log may show.

import type { Clock } from '../../../platform/ports.ts';
import { detachedStore } from '../../../resources/detached-store.ts';
import { kinds } from '../../../resources/index.ts';
import type { ShownKind } from '../log/log-lines.ts';

/** The kinds by name, including those without a resource. */
export function shownKinds(clock: Clock): ReadonlyMap<string, ShownKind> {
  const declared = new Map(kinds.map((kind) => [kind.kind, kind]));
  const tables = detachedStore(clock).durableTables();
  return new Map(
    tables.map(({ kind, codec }) => {
      const { fields = {}, formerState } = declared.get(kind) ?? {};
      return [kind, { codec, fields, formerState }];
    }),
  );
}
