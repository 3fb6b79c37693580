// The legend of a statechart: its signs and lines, and what each condition on it asks.

import type { MachineView } from '../../messages.ts';
import { SignLegend } from './sign.tsx';

/** What a line or a mark of the chart stands for. */
const marks = [
  { name: '●', text: 'there is no record yet' },
  { name: 'double rim', text: 'nothing leads on from here' },
  { name: 'thick line', text: 'this instance took it' },
  { name: 'struck through', text: 'refused in this state' },
] as const;

/** Below the chart of a machine. */
export function ChartLegend({ machine }: { readonly machine: MachineView }) {
  const guards = Object.entries(machine.guards);
  return (
    <section class="chart-legend" aria-label="Legend">
      <SignLegend />
      <ul class="plain signs" aria-label="Lines">
        {marks.map(({ name, text }) => (
          <li key={name}>
            <strong>{name}</strong> {text}
          </li>
        ))}
      </ul>
      {guards.length === 0 ? null : (
        <dl class="guards" aria-label="Conditions">
          {guards.map(([guard, text]) => (
            <div key={guard}>
              <dt class="event">[{guard}]</dt>
              <dd>only if {text}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
