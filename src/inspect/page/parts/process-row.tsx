// One process as a row: its state, since when, and its rates per second.

import type { ProcessView } from '../../contract.ts';
import { formatBytes, formatRate, formatSpan } from '../format.ts';
import { useNow } from '../hooks/use-now.ts';
import { Cell, TableRow } from './table-row.tsx';

/** The row of a process. */
export function ProcessRow({ process }: { readonly process: ProcessView }) {
  const { name, state, sinceMs, detail, rates } = process;
  const nowMs = useNow();
  return (
    <TableRow>
      <Cell head="Process" isHead>
        {name}
      </Cell>
      <Cell head="State">
        <span class={`state-mark ${colourOf(state)}`}>{state}</span>
      </Cell>
      <Cell head="Since" class="figure">
        {formatSpan(nowMs - sinceMs)}
      </Cell>
      <Cell head="Rates" class="figure">
        <Rates rates={rates} />
      </Cell>
      <Cell head="Detail" class="prose">
        {detail}
      </Cell>
    </TableRow>
  );
}

/** Nothing for a process that does nothing by the second. */
function Rates({ rates }: Pick<ProcessView, 'rates'>) {
  const all = Object.entries(rates);
  if (all.length === 0) return null;
  return (
    <ul class="plain rates">
      {all.map(([what, rate]) => (
        <li key={what}>
          {/bytes/i.test(what) ? `${formatBytes(rate)}/s` : `${formatRate(rate)} ${what}/s`}
        </li>
      ))}
    </ul>
  );
}

/** States of live machines mean the same in all of them. */
function colourOf(state: string): string {
  if (/fail|broken|stall|read-?only/i.test(state)) return 'state-bad';
  if (/idle|stopped|boot|none/i.test(state)) return 'state-rest';
  return 'state-0';
}
