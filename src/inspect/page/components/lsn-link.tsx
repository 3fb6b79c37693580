// Links to frames of the log, wherever an LSN is shown.

import { formatCount } from '../format.ts';
import { hashOf } from '../route.ts';

/** A link to a frame; a dash for a part of the controller that no frame contains. */
export function LsnLink({ lsn }: { readonly lsn: number }) {
  if (lsn === 0) return <>–</>;
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
