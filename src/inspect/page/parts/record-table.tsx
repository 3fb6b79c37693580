// The fields of a record; references are links.

import type { InstanceRelation } from '../../contract.ts';
import { formatValue } from '../format.ts';
import { InstanceLink } from './instance-link.tsx';
import { TableFrame } from './table-frame.tsx';

/** A record, and what its fields refer to. */
export interface RecordTableProps {
  readonly record: Readonly<Record<string, unknown>>;
  readonly relations: readonly InstanceRelation[];
}

/** One row per field. */
export function RecordTable({ record, relations }: RecordTableProps) {
  const links = new Map(relations.map((relation) => [relation.field, relation]));
  return (
    <section aria-label="Record of the instance">
      <h2>Record</h2>
      <TableFrame caption="Record" heads={['Field', 'Value']} isCaptionHidden>
        {Object.entries(record).map(([field, value]) => {
          const link = links.get(field);
          const isOne = link !== undefined && !Array.isArray(value);
          return (
            <tr key={field}>
              <th scope="row" class="event">
                {field}
              </th>
              <td class="value">{isOne ? <InstanceLink {...link} /> : formatValue(value)}</td>
            </tr>
          );
        })}
      </TableFrame>
    </section>
  );
}
