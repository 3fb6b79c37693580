// The frame around every view: the header, a link to skip it, and the shared stream.

import { useEffect, useRef } from 'preact/hooks';
import { useRoute } from '../hooks/use-route.ts';
import { usePage } from '../page-context.ts';
import type { Route } from '../route.ts';
import { connectStream } from '../stream-connection.ts';
import { FiguresView } from '../views/figures-view.tsx';
import { InstanceView } from '../views/instance-view.tsx';
import { KindView } from '../views/kind-view.tsx';
import { MachinesView } from '../views/machines-view.tsx';
import { ProcessesView } from '../views/processes-view.tsx';
import { TransitionsView } from '../views/transitions-view.tsx';
import { Freshness } from './freshness.tsx';
import { PageHeader } from './page-header.tsx';
import { ViewTitle } from './view-title.tsx';

/** How the shell comes. */
export interface ShellProps {
  /** After a login the focus moves to the view; after a reload it stays. */
  readonly takesFocus: boolean;
}

/** The page of the logged-in user. */
export function Shell({ takesFocus }: ShellProps) {
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
      <Freshness isFast={route.view === 'machines' || route.view === 'kind'} />
      <main ref={main} id="content" tabIndex={-1} class="content" key={place}>
        <View route={route} />
      </main>
    </>
  );
}

/** A filter or another page of a list is the same place: the focus stays. */
function placeOf(route: Route): string {
  if (route.view === 'kind') return `kind ${route.kind}`;
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
