// Values that ours would refuse at a write: they are kept as they are, and named.

import type { Kind } from '../../declare/kinds/kind.ts';
import { schemaProblem } from '../../declare/resources/validate.ts';
import type { ConvertedRecord } from './conversion.ts';
import type { EntityNotes } from './notes.ts';

/** Names the values that callers could not write. */
export function nameRefusedValues(
  kind: Kind,
  record: ConvertedRecord['record'],
  notes: EntityNotes,
): void {
  for (const name of kind.fieldNames) {
    const { schema, write, symbol } = kind.fields[name] ?? {};
    const value = record[name];
    // Bodies have texts where records have times.
    if (schema === undefined || write === 'never' || symbol === 'datetime') continue;
    const problem = value === undefined ? undefined : schemaProblem(schema, value);
    if (problem === undefined) continue;
    const field = problem.field === '' ? name : `${name}.${problem.field}`;
    notes.kept(`Its ${field} is kept, although it is refused at a write: ${problem.reason}.`);
  }
}
