// One kind of machine: its statechart, and its instances page by page.

import { formatCount } from '../format.ts';
import { useMachine } from '../hooks/use-machines.ts';
import { InstanceList } from '../parts/instance-list.tsx';
import { StateBar } from '../parts/state-bar.tsx';
import { Statechart } from '../parts/statechart.tsx';
import { ViewTitle } from '../parts/view-title.tsx';
import type { Route } from '../route.ts';

/** The parameters of the list in the address. */
export interface KindViewProps {
  readonly route: Extract<Route, { view: 'kind' }>;
}

/** The view of a kind. */
export function KindView({ route }: KindViewProps) {
  const machine = useMachine(route.kind);
  return (
    <>
      <nav aria-label="Path" class="path">
        <a href="#/">Machines</a>
      </nav>
      <ViewTitle title={route.kind}>
        {machine === undefined ? null : (
          <span class="figure total">{formatCount(machine.total)}</span>
        )}
      </ViewTitle>
      {machine === undefined ? null : (
        <>
          <div class="card is-wide">
            <StateBar machine={machine} />
          </div>
          <Statechart machine={machine} state={isSingle(machine)} />
        </>
      )}
      <InstanceList route={route} />
    </>
  );
}

/** Of a live machine there is one instance as a rule: its state is everybody's. */
function isSingle({
  isLive,
  counts,
}: {
  isLive: boolean;
  counts: Readonly<Record<string, number>>;
}) {
  const taken = Object.entries(counts).filter(([, count]) => count > 0);
  const [only] = taken;
  return isLive && taken.length === 1 && only !== undefined ? only[0] : '';
}
