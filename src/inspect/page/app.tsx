// The whole page: the login, or the frame of the logged-in user with the view that the address
// names.

import { useEffect, useRef } from 'preact/hooks';
import type { MachineView } from '../messages.ts';
import { PageHeader } from './components/page-header.tsx';
import { ViewTitle } from './components/view-head.tsx';
import { MapView } from './map/map-view.tsx';
import { usePage, useSelected } from './page-context.ts';
import type { Route } from './route.ts';
import { connectStream } from './stream-connection.ts';
import { useAnswer } from './use-api.ts';
import { useRoute } from './use-route.ts';
import { FiguresView } from './views/figures-view.tsx';
import { FrameView } from './views/frame-view.tsx';
import { InstanceView } from './views/instance-view.tsx';
import { KindView } from './views/kind-view.tsx';
import { LogInView } from './views/log-in-view.tsx';
import { MachinesView } from './views/machines-view.tsx';
import { ProcessesView } from './views/processes-view.tsx';
import { TransitionsView } from './views/transitions-view.tsx';

/** The whole page. After a login the focus moves to the view; after a reload it stays. */
export function App() {
  const { session } = usePage();
  const phase = useSelected(session, (state) => state.phase);
  const wasOut = useRef(phase !== 'in');
  if (phase !== 'in') wasOut.current = true;
  return phase === 'in' ? <Shell takesFocus={wasOut.current} /> : <LogInView phase={phase} />;
}

/** The frame around every view: the header, a link to skip it, and the shared stream. */
function Shell({ takesFocus }: { readonly takesFocus: boolean }) {
  const { stream, machines, ask } = usePage();
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    const end = connectStream(stream, ask);
    return () => {
      end();
      machines.send({ type: 'leave' });
    };
  }, [stream, machines, ask]);
  const place = placeOf(route);
  const placeBefore = useRef(takesFocus ? '' : place);
  useEffect(() => {
    if (placeBefore.current === place) return;
    placeBefore.current = place;
    window.scrollTo(0, 0);
    main.current?.querySelector('h1')?.focus();
  }, [place]);
  const skip = (event: Event) => {
    event.preventDefault();
    main.current?.focus();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: only the focus moves, the address stays. */}
      <a class="skip" href="#content" onClick={skip}>
        Skip to content
      </a>
      <PageHeader route={route} />
      <MachinesUpdates isFast={route.view === 'machines' || route.view === 'kind'} />
      <main
        ref={main}
        id="content"
        tabIndex={-1}
        class={route.view === 'map' ? 'content is-wide' : 'content'}
        key={place}
      >
        <View route={route} />
      </main>
    </>
  );
}

/** A filter or another page of a list is the same place: the focus stays. */
function placeOf(route: Route): string {
  if (route.view === 'kind') return `kind ${route.kind}`;
  if (route.view === 'map' && route.group !== undefined) return `map of ${route.group}`;
  if (route.view === 'frame') return `frame ${route.lsn}`;
  return route.view === 'instance' ? `instance ${route.kind} ${route.id}` : route.view;
}

function View({ route }: { readonly route: Route }) {
  switch (route.view) {
    case 'machines':
      return <MachinesView />;
    case 'kind':
      return <KindView route={route} />;
    case 'instance':
      return <InstanceView kind={route.kind} id={route.id} />;
    case 'frame':
      return <FrameView lsn={route.lsn} />;
    case 'map':
      return <MapView route={route} />;
    case 'transitions':
      return <TransitionsView filter={route.filter} />;
    case 'processes':
      return <ProcessesView />;
    case 'figures':
      return <FiguresView />;
    case 'nothing':
      return (
        <>
          <ViewTitle title="Nothing here" />
          <p>
            No view has this address. <a href="#/">All machines</a>
          </p>
        </>
      );
  }
}

/** Keeps the machines' counts fresh: often where they are looked at, seldom elsewhere. */
function MachinesUpdates({ isFast }: { readonly isFast: boolean }) {
  const { machines } = usePage();
  const everyMs = isFast ? 2_000 : 15_000;
  const { answer, problem } = useAnswer<readonly MachineView[]>('/inspect/machines', everyMs);
  useEffect(() => {
    if (answer !== undefined) machines.send({ type: 'loaded', machines: answer.data });
  }, [machines, answer]);
  useEffect(() => {
    if (problem !== undefined) machines.send({ type: 'failed', problem: problem.message });
  }, [machines, problem]);
  return null;
}
