// The relations of an instance, in both directions.

import type { InstanceReferrer, InstanceRelation } from '../../contract.ts';
import { quoted } from '../filter-text.ts';
import { formatCount } from '../format.ts';
import { useMachine } from '../hooks/use-machines.ts';
import { hashOf, kindRoute } from '../route.ts';
import { InstanceLink } from './instance-link.tsx';

/** The records that it refers to. */
export function Relations({ relations }: { readonly relations: readonly InstanceRelation[] }) {
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

/** The records that refer to it. */
export interface ReferrersProps {
  readonly id: string;
  readonly referrers: readonly InstanceReferrer[];
}

/** The first few of each kind, and a link to all of them. */
export function Referrers({ id, referrers }: ReferrersProps) {
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
  const hasList = useMachine(kind) !== undefined;
  const all = `${formatCount(count)} ${kind}`;
  return (
    <li>
      {hasList && count > some.length ? (
        <a href={hashOf(kindRoute(kind, `${symbolOf(field)} = ${quoted(id)}`))}>{all}</a>
      ) : (
        <span>{all}</span>
      )}{' '}
      <span class="hint">by {field}</span>
      <ul class="plain some">
        {some.map((one) => (
          <li key={one.id}>
            <InstanceLink kind={kind} id={one.id} name={one.name} />
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
