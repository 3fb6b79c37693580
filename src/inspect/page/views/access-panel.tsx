// Who may use a record, and what it may use: the records that policies bring together with it.

import type { AccessGroup } from '../../messages.ts';
import { instancesPath } from '../api.ts';
import { ProblemNote } from '../components/view-head.tsx';
import { formatCount } from '../format.ts';
import { useAnswer } from '../use-api.ts';
import { InstanceLink } from './instance-record.tsx';

const ways: Readonly<Record<AccessGroup['way'], string>> = {
  selectedBy: 'that select it',
  dial: 'linked with it to dial',
  bind: 'linked with it to bind',
  linked: 'linked with it',
  selects: 'that it selects',
};

interface AccessPanelProps {
  readonly kind: string;
  readonly id: string;
  /** After which time it is asked for again: policies change without the record. */
  readonly everyMs: number;
}

/** Nothing for a record that policies neither select nor are. */
export function AccessPanel({ kind, id, everyMs }: AccessPanelProps) {
  const { answer, problem } = useAnswer<readonly AccessGroup[]>(
    `${instancesPath(kind, id)}/access`,
    everyMs,
  );
  const groups = answer?.data ?? [];
  const isGone = problem?.status === 404;
  if (groups.length === 0 && (problem === undefined || isGone)) return null;
  return (
    <section aria-label="Access">
      <h2>Access by policies</h2>
      <ProblemNote text={problem?.message} />
      <ul class="plain links">
        {groups.map((group) => (
          <li key={`${group.way} ${group.kind}`}>
            {formatCount(group.total)} {group.kind} <span class="hint">{ways[group.way]}</span>
            {group.total === 0 ? null : <Some group={group} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Some({ group: { kind, some, total } }: { readonly group: AccessGroup }) {
  return (
    <ul class="plain some">
      {some.map(({ id, name }) => (
        <li key={id}>
          <InstanceLink kind={kind} id={id} name={name} />
        </li>
      ))}
      {total > some.length ? <li class="hint">and more</li> : null}
    </ul>
  );
}
