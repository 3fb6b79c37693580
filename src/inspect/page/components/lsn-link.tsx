// Links to frames of the log, wherever an LSN is shown.

import { formatCount } from '../format.ts';
import { useMachine } from '../page-context.ts';
import { hashOf } from '../route.ts';

interface LsnLinkProps {
  readonly lsn: number;
  /** The kind of the record that has it; undefined where it is that of a frame anyway. */
  readonly kind?: string | undefined;
}

/**
 * A link to a frame; a dash for a part of the controller that no frame contains. A record that is
 * kept in memory only has no frame, so that of its LSN would tell of something else.
 */
export function LsnLink({ lsn, kind = '' }: LsnLinkProps) {
  const machine = useMachine(kind);
  if (lsn === 0) return <>–</>;
  if (machine?.isVolatile) return <>after LSN {formatCount(lsn)}</>;
  return (
    <a class="figure lsn" href={hashOf({ view: 'frame', lsn })}>
      {formatCount(lsn)}
    </a>
  );
}

/** A sentence of the controller, in which each LSN is a link. */
export function WithLsnLinks({ text }: { readonly text: string }) {
  const parts = text.split(/(?<=\b(?:LSN|frame) )(\d+)\b/);
  return (
    <>{parts.map((part, index) => (index % 2 === 1 ? <LsnLink lsn={Number(part)} /> : part))}</>
  );
}
