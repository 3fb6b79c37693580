// The record of an instance: its fields, and its relations in both directions.

import type { InstanceDetail, InstanceReferrer, InstanceRelation } from '../../messages.ts';
import { FieldValue } from '../components/field-value.tsx';
import { type Column, Table } from '../components/table.tsx';
import { quoted } from '../filter-text.ts';
import { formatClient, formatCount } from '../format.ts';
import { hashOf, kindRoute } from '../route.ts';

/** The fields of a record, one row per field; references are links. */
export function RecordTable({ instance }: { readonly instance: InstanceDetail }) {
  const links = new Map(instance.relations.map((relation) => [relation.field, relation]));
  const columns: readonly Column<[field: string, value: unknown]>[] = [
    { head: 'Field', isHead: true, class: 'event', cell: ([field]) => field },
    {
      head: 'Value',
      class: 'value',
      cell: ([field, value]) => {
        const link = links.get(field);
        const isOne = link !== undefined && !Array.isArray(value);
        return isOne ? <InstanceLink {...link} /> : <FieldValue value={value} />;
      },
    },
  ];
  return (
    <section aria-label="Record of the instance">
      <h2>Record</h2>
      <Table
        caption="Record"
        columns={columns}
        rows={Object.entries(instance.record)}
        keyOf={([field]) => field}
      />
    </section>
  );
}

/** The records that it refers to. */
export function Relations({ instance: { relations } }: { readonly instance: InstanceDetail }) {
  return (
    <section aria-label="Relations">
      <h2>Relations</h2>
      {relations.length === 0 ? <p class="hint">It refers to nothing.</p> : null}
      <ul class="plain links">
        {relations.map((relation) => (
          <li key={`${relation.field} ${relation.id}`}>
            <span class="event">{relation.field}</span> <InstanceLink {...relation} />{' '}
            <span class="hint">{relation.kind}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The records that refer to it: the first few of each kind, and a link to all of them. */
export function Referrers({ instance: { id, referrers } }: { readonly instance: InstanceDetail }) {
  const some = referrers.filter(({ count }) => count > 0);
  return (
    <section aria-label="Referrers">
      <h2>Referrers</h2>
      {some.length === 0 ? <p class="hint">Nothing refers to it.</p> : null}
      <ul class="plain links">
        {some.map((referrer) => (
          <ReferrerLine key={`${referrer.kind} ${referrer.field}`} id={id} referrer={referrer} />
        ))}
      </ul>
    </section>
  );
}

function ReferrerLine({ id, referrer }: { id: string; referrer: InstanceReferrer }) {
  const { kind, field, count, some } = referrer;
  const all = `${formatCount(count)} ${kind}`;
  return (
    <li>
      {count > some.length ? (
        <a href={hashOf(kindRoute(kind, `${symbolOf(field)} = ${quoted(id)}`))}>{all}</a>
      ) : (
        <span>{all}</span>
      )}{' '}
      <span class="hint">by {field}</span>
      <ul class="plain some">
        {some.map((one) => (
          <li key={one.id}>
            <InstanceLink kind={kind} id={one.id} name={one.name} />
            {one.client === undefined ? null : (
              <span class="hint"> {formatClient(one.client)}</span>
            )}
          </li>
        ))}
        {count > some.length ? <li class="hint">and more</li> : null}
      </ul>
    </li>
  );
}

/** Filters name the thing, records its id. */
function symbolOf(field: string): string {
  return field.replace(/Id$/, '');
}

/** A link to a record, by its name if it has one. */
export function InstanceLink({ kind, id, name }: Omit<InstanceRelation, 'field'>) {
  return (
    <a href={hashOf({ view: 'instance', kind, id })} title={id}>
      {name === '' ? id : name}
    </a>
  );
}
