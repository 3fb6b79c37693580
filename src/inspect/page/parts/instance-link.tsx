// The way to an instance, where there is one to look at.

import { useMachine } from '../hooks/use-machines.ts';
import { hashOf } from '../route.ts';

/** A record; its name is empty where it has none. */
export interface InstanceLinkProps {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

/** Kinds without a machine have no view: their records are only named. */
export function InstanceLink({ kind, id, name }: InstanceLinkProps) {
  const hasView = useMachine(kind) !== undefined;
  const text = name === '' ? id : name;
  if (!hasView) return <span title={id}>{text}</span>;
  return (
    <a href={hashOf({ view: 'instance', kind, id })} title={id}>
      {text}
    </a>
  );
}
