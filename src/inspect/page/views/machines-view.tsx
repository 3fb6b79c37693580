// Every kind of machine, with how many instances are in which state, and every other kind.

import type { MachineView } from '../../messages.ts';
import { SignLegend } from '../components/sign.tsx';
import { StateBar } from '../components/states.tsx';
import { ProblemNote, ViewTitle } from '../components/view-head.tsx';
import { formatCount } from '../format.ts';
import { usePage, useSelected } from '../page-context.ts';
import { hashOf, kindRoute } from '../route.ts';
import { FigureStrip } from './figures-view.tsx';

/** The first view. */
export function MachinesView() {
  const { machines } = usePage();
  const { machines: known, problem } = useSelected(machines, (state) => state);
  const stored = known?.filter(({ isLive, states }) => !isLive && states.length > 0);
  const plain = known?.filter(({ isLive, states }) => !isLive && states.length === 0);
  const live = known?.filter(({ isLive }) => isLive);
  return (
    <>
      <ViewTitle title="Machines" />
      <ProblemNote text={problem} />
      <section aria-label="Figures">
        <FigureStrip />
      </section>
      <SignLegend />
      <Kinds title="Durable machines" machines={stored} />
      <Kinds title="Live machines" machines={live} />
      <Kinds title="Records without a machine" machines={plain} />
    </>
  );
}

interface KindsProps {
  readonly title: string;
  readonly machines: readonly MachineView[] | undefined;
}

function Kinds({ title, machines }: KindsProps) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {machines === undefined ? <p class="hint">Loading…</p> : null}
      <div class="kinds">
        {machines?.map((machine) => (
          <article key={machine.id} class="card">
            <div class="card-head">
              <h3>
                <a href={hashOf(kindRoute(machine.id))}>{machine.id}</a>
              </h3>
              <span class="figure total">{formatCount(machine.total)}</span>
            </div>
            {machine.states.length === 0 ? null : <StateBar machine={machine} />}
          </article>
        ))}
      </div>
    </section>
  );
}
