// The map as tables, which say all that its picture shows.

import type { ComponentChildren } from 'preact';
import type { MapCircuit, MapRouter } from '../../messages.ts';
import { Sign } from '../components/sign.tsx';
import { type SortedColumn, SortedTable } from '../components/sorted-table.tsx';
import { StateMark } from '../components/states.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Moment } from '../components/times.tsx';
import { formatCount } from '../format.ts';
import { hashOf } from '../route.ts';
import { formatLatency, latencyOf, type MapNode } from './drawing.ts';
import type { LostLink } from './fabric.ts';
import {
  byText,
  type Condition,
  type LinkOverview,
  type RouterOverview,
  worstFirst,
} from './overview.ts';

interface RowsProps<Row> {
  readonly rows: readonly Row[];
}

/** A table with its heading. */
function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section aria-label={title} class="map-table">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Routers, each with a link to its machine and one to that of its presence. */
export function RouterTable({ rows }: RowsProps<RouterOverview>) {
  return (
    <Section title={`Routers (${formatCount(rows.length)})`}>
      <SortedTable
        caption="Routers"
        columns={routerColumns}
        rows={rows}
        orderName="worst first"
        keyOf={({ router }) => router.id}
      />
    </Section>
  );
}

const routerColumns: readonly SortedColumn<RouterOverview>[] = [
  {
    head: 'Router',
    isHead: true,
    compare: (a, b) => byText(a.router.name, b.router.name),
    cell: ({ router: { id, name } }) => <InstanceName kind="router" id={id} name={name} />,
  },
  {
    head: 'State',
    compare: (a, b) => worstFirst(a, b) || byText(a.text, b.text),
    title: ({ router }) => router.closeReason || undefined,
    cell: (one) => <PresenceMark one={one} />,
  },
  {
    head: 'Since',
    class: 'figure',
    compare: (a, b) => a.router.sinceMs - b.router.sinceMs,
    cell: ({ router }) => (router.sinceMs === 0 ? '–' : <Moment at={router.sinceMs} isShort />),
  },
  {
    head: 'Links',
    isNumber: true,
    compare: (a, b) => a.links - b.links,
    cell: ({ links }) => formatCount(links),
  },
  {
    head: 'Circuits',
    isNumber: true,
    compare: (a, b) => a.router.circuits - b.router.circuits,
    cell: ({ router }) => formatCount(router.circuits),
  },
  {
    head: 'Cost',
    isNumber: true,
    compare: (a, b) => a.router.cost - b.router.cost,
    cell: ({ router }) => `${router.cost}${router.noTraversal ? ', no traversal' : ''}`,
  },
  {
    head: 'Attribute',
    compare: (a, b) => byText(a.router.group, b.router.group),
    cell: ({ router }) => router.group || '–',
  },
  {
    head: 'Version',
    compare: (a, b) => byText(a.router.version, b.router.version),
    cell: ({ router }) => router.version || '–',
  },
  {
    head: 'Address',
    class: 'figure',
    compare: (a, b) => byText(a.router.address, b.router.address),
    cell: ({ router }) => router.address || '–',
  },
];

/** A router that has not connected since the start has no presence to look at. */
function PresenceMark({ one }: { readonly one: RouterOverview }) {
  const { id, sinceMs, closeReason } = one.router;
  const mark = <ConditionMark {...one} />;
  if (sinceMs === 0) return mark;
  return (
    <>
      <a href={hashOf({ view: 'instance', kind: 'routerPresence', id })}>{mark}</a>
      {one.meaning === 'bad' && closeReason !== '' ? <div class="hint">{closeReason}</div> : null}
    </>
  );
}

/** Links, each with a link to its machine. */
export function LinkTable({ rows }: RowsProps<LinkOverview>) {
  return (
    <Section title={`Links (${formatCount(rows.length)})`}>
      <SortedTable
        caption="Links"
        columns={linkColumns}
        rows={rows}
        orderName="worst first"
        keyOf={({ link }) => link.id}
      />
    </Section>
  );
}

const linkColumns: readonly SortedColumn<LinkOverview>[] = [
  {
    head: 'Link',
    isHead: true,
    compare: (a, b) => byText(a.link.id, b.link.id),
    cell: ({ link: { id } }) => (
      <a class="id" href={hashOf({ view: 'instance', kind: 'link', id })}>
        {id}
      </a>
    ),
  },
  {
    head: 'State',
    compare: (a, b) => worstFirst(a, b) || byText(a.text, b.text),
    cell: (one) => <ConditionMark {...one} />,
  },
  {
    head: 'Since',
    class: 'figure',
    compare: (a, b) => a.link.sinceMs - b.link.sinceMs,
    cell: ({ link }) => <Moment at={link.sinceMs} isShort />,
  },
  {
    head: 'From',
    compare: (a, b) => byText(a.fromName, b.fromName),
    cell: ({ link, fromName }) => <InstanceName kind="router" id={link.from} name={fromName} />,
  },
  {
    head: 'To',
    compare: (a, b) => byText(a.toName, b.toName),
    cell: ({ link, toName }) => <InstanceName kind="router" id={link.to} name={toName} />,
  },
  {
    head: 'Latency',
    isNumber: true,
    title: ({ link }) => `${formatLatency(link.fromMs)} and ${formatLatency(link.toMs)}`,
    compare: (a, b) => latencyRank(a) - latencyRank(b),
    cell: ({ link }) => {
      const latencyMs = latencyOf(link.fromMs, link.toMs);
      return latencyMs === undefined ? '–' : formatLatency(latencyMs);
    },
  },
  {
    head: 'Cost',
    isNumber: true,
    title: ({ link }) => `of which ${link.staticCost} was set`,
    compare: (a, b) => a.link.cost - b.link.cost,
    cell: ({ link }) => formatCount(link.cost),
  },
  {
    head: 'Circuits',
    isNumber: true,
    compare: (a, b) => a.link.circuits - b.link.circuits,
    cell: ({ link }) => formatCount(link.circuits),
  },
];

/** Links that were not measured come last. */
function latencyRank({ link }: LinkOverview): number {
  return latencyOf(link.fromMs, link.toMs) ?? Number.MAX_SAFE_INTEGER;
}

/** Groups of routers, each with a link to the map of it. */
export function GroupTable({ rows, service }: RowsProps<MapNode> & { readonly service: string }) {
  const columns: readonly SortedColumn<MapNode>[] = [
    {
      head: 'Group',
      isHead: true,
      compare: (a, b) => byText(a.name, b.name),
      cell: ({ id, name }) => <a href={hashOf({ view: 'map', service, group: id })}>{name}</a>,
    },
    {
      head: 'State',
      compare: (a, b) => worstFirst(a, b) || byText(a.text, b.text),
      cell: (node) => <ConditionMark {...node} />,
    },
    {
      head: 'Routers',
      isNumber: true,
      compare: (a, b) => a.routers - b.routers,
      cell: ({ routers }) => formatCount(routers),
    },
    {
      head: 'Circuits',
      isNumber: true,
      compare: (a, b) => a.circuits - b.circuits,
      cell: ({ circuits }) => formatCount(circuits),
    },
  ];
  return (
    <Section title={`Groups (${formatCount(rows.length)})`}>
      <SortedTable
        caption="Groups"
        columns={columns}
        rows={rows}
        orderName="by name"
        keyOf={({ id }) => id}
      />
    </Section>
  );
}

interface CircuitTableProps {
  readonly circuits: readonly MapCircuit[];
  readonly total: number;
  readonly routers: ReadonlyMap<string, MapRouter>;
}

/** The circuits of the chosen service, each with a link to its machine. */
export function CircuitTable({ circuits, total, routers }: CircuitTableProps) {
  const nameOf = (id: string) => routers.get(id)?.name ?? id;
  const columns: readonly SortedColumn<MapCircuit>[] = [
    {
      head: 'Circuit',
      isHead: true,
      compare: (a, b) => byText(a.id, b.id),
      cell: ({ id }) => (
        <a class="id" href={hashOf({ view: 'instance', kind: 'circuit', id })}>
          {id}
        </a>
      ),
    },
    {
      head: 'State',
      compare: (a, b) => byText(a.state, b.state),
      cell: ({ state }) => <StateMark kind="circuit" state={state} />,
    },
    {
      head: 'Client',
      compare: (a, b) => byText(a.clientName, b.clientName),
      cell: ({ clientId, clientName }) => (
        <InstanceName kind="identity" id={clientId} name={clientName || clientId} />
      ),
    },
    {
      head: 'Path',
      class: 'prose',
      compare: (a, b) => a.routers.length - b.routers.length,
      cell: ({ routers: path }) => path.map(nameOf).join(' → '),
    },
  ];
  return (
    <Section title={`Circuits of the service (${formatCount(total)})`}>
      {total > circuits.length ? (
        <p class="hint">The first {formatCount(circuits.length)} are shown.</p>
      ) : null}
      <SortedTable
        caption="Circuits"
        columns={columns}
        rows={circuits}
        orderName="as they are kept"
        keyOf={({ id }) => id}
      />
    </Section>
  );
}

/** Links that went away while the page was open; nothing if there were none. */
export function LostTable({ rows }: RowsProps<LostLink>) {
  if (rows.length === 0) return null;
  return (
    <Section title={`Links that went away (${formatCount(rows.length)})`}>
      <p class="hint">Since this page is open, and not back yet; the newest first.</p>
      <Table
        caption="Lost links"
        columns={lostColumns}
        rows={rows}
        keyOf={({ link, atMs }) => `${link.id} ${atMs}`}
        isStacked
      />
    </Section>
  );
}

const lostColumns: readonly Column<LostLink>[] = [
  { head: 'Link', isHead: true, cell: ({ link }) => <span class="id">{link.id}</span> },
  { head: 'Time', class: 'figure', cell: ({ atMs }) => <Moment at={atMs} isShort /> },
  {
    head: 'From',
    cell: ({ link, fromName }) => <InstanceName kind="router" id={link.from} name={fromName} />,
  },
  {
    head: 'To',
    cell: ({ link, toName }) => <InstanceName kind="router" id={link.to} name={toName} />,
  },
  { head: 'Last state', cell: ({ link }) => link.state },
];

/** The sign of a condition, and its words. */
export function ConditionMark({ meaning, text }: Condition) {
  return (
    <span class="state-mark">
      <Sign meaning={meaning} />
      {text}
    </span>
  );
}

interface InstanceNameProps {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

function InstanceName({ kind, id, name }: InstanceNameProps) {
  return (
    <a href={hashOf({ view: 'instance', kind, id })} title={id}>
      {name}
    </a>
  );
}
