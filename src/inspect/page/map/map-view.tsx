// The network as a map: routers and links, how they are doing, and the circuits of a service.

import { useId, useMemo, useState } from 'preact/hooks';
import { Choice } from '../components/form-controls.tsx';
import { SignLegend } from '../components/sign.tsx';
import { ViewTitle } from '../components/view-head.tsx';
import { quoted } from '../filter-text.ts';
import { formatCount } from '../format.ts';
import { hashOf, kindRoute, type MapRoute } from '../route.ts';
import { goTo } from '../use-route.ts';
import { type Drawing, drawingOf, drawnMax, type MapLine, noAttribute } from './drawing.ts';
import { MapCanvas } from './map-canvas.tsx';
import {
  CircuitTable,
  ConditionMark,
  GroupTable,
  LinkTable,
  LostTable,
  RouterTable,
} from './map-tables.tsx';
import { type Condition, countsOf, isTrouble } from './overview.ts';
import type { LineLabel } from './painting.ts';
import { conditionChoices, selected } from './selection.ts';
import { ServiceChoice } from './service-choice.tsx';
import { type SeenFabric, useOverview } from './use-overview.ts';

/** The view of the map; its route holds the service and the group. */
export function MapView({ route }: { readonly route: MapRoute }) {
  const seen = useOverview(route.service);
  const { group } = route;
  const name = group === undefined ? 'Map' : `Map of ${group === '' ? noAttribute : group}`;
  return (
    <>
      {group === undefined ? null : (
        <nav aria-label="Path" class="path">
          <a href={hashOf({ ...route, group: undefined })}>Map</a>
        </nav>
      )}
      <ViewTitle title={name} />
      {seen === undefined ? <p class="hint">Loading…</p> : <SeenMap route={route} seen={seen} />}
    </>
  );
}

interface SeenMapProps {
  readonly route: MapRoute;
  readonly seen: SeenFabric;
}

/** What is known, as a picture and as tables. */
function SeenMap({ route, seen: { fabric, overview } }: SeenMapProps) {
  const { service, group } = route;
  const [typed, setTyped] = useState('');
  const [only, setOnly] = useState('');
  const [lineLabel, setLineLabel] = useState<LineLabel>('latency');
  const sought = typed.trim().toLowerCase();
  const chosen = service === '' ? undefined : fabric.circuits;
  const drawing = useMemo(() => drawingOf(overview, group, chosen), [overview, group, chosen]);
  const shown = useMemo(
    () => selected(overview, { group, only, sought }),
    [overview, group, only, sought],
  );
  const inGroup = useMemo(
    () => selected(overview, { group, only: '', sought: '' }),
    [overview, group],
  );
  return (
    <>
      <Conditions title="Routers" all={inGroup.routers} />
      <Conditions title="Links" all={inGroup.links} />
      <div class="list-tools map-tools">
        <Finder typed={typed} onType={setTyped} />
        <ServiceChoice service={service} onChoose={(id) => goTo({ ...route, service: id })} />
        <Choice
          label="Tables show"
          value={only}
          options={withKept(conditionChoices(inGroup), only)}
          onChoose={setOnly}
        />
        <Choice
          label="Lines say"
          value={lineLabel}
          options={lineLabels}
          onChoose={(text) =>
            setLineLabel(lineLabels.find(([one]) => one === text)?.[0] ?? 'nothing')
          }
        />
      </div>
      <MapCanvas
        drawing={drawing}
        part={group === undefined ? '' : `#${group}`}
        name={pictureName(drawing)}
        lineLabel={lineLabel}
        sought={sought}
        hasChosen={chosen !== undefined}
        onNode={({ id, isGroup }) =>
          goTo(isGroup ? { ...route, group: id } : { view: 'instance', kind: 'router', id })
        }
        onLine={(line) => openLine(line, service)}
      />
      <p class="hint map-note">{noteOf(drawing)}</p>
      <SignLegend />
      <LineLegend />
      {drawing.isGrouped ? <GroupTable rows={drawing.nodes} service={service} /> : null}
      {chosen === undefined ? null : <CircuitTable {...chosen} routers={fabric.routers} />}
      <RouterTable rows={shown.routers} />
      <LinkTable rows={shown.links} />
      <LostTable rows={fabric.lost} />
    </>
  );
}

const lineLabels = [
  ['latency', 'latency'],
  ['cost', 'cost'],
  ['circuits', 'circuits'],
  ['nothing', 'nothing'],
] as const;

/** To the circuit of the service over it, or to its circuits, or to the link. */
function openLine({ id, chosen }: MapLine, service: string): void {
  const [circuit, ...others] = chosen;
  if (circuit === undefined) goTo({ view: 'instance', kind: 'link', id });
  else if (others.length === 0) goTo({ view: 'instance', kind: 'circuit', id: circuit.id });
  else goTo(kindRoute('circuit', `service = ${quoted(service)}`));
}

/** A condition in which nothing is any more stays chosen until another one is. */
function withKept(choices: ReturnType<typeof conditionChoices>, only: string) {
  return choices.some(([value]) => value === only)
    ? choices
    : [...choices, [only, `${only.replace(' ', 's: ')} (0)`] as const];
}

/** How many are in which condition, the most urgent first. */
function Conditions({
  title,
  all,
}: {
  readonly title: string;
  readonly all: readonly Condition[];
}) {
  return (
    <ul class="plain signs map-counts" aria-label={title}>
      <li>
        {title} <strong class="figure">{formatCount(all.length)}</strong>
      </li>
      {countsOf(all).map(({ count, ...condition }) => (
        <li key={condition.text} class={isTrouble(condition) ? 'is-trouble' : undefined}>
          <ConditionMark {...condition} /> <strong class="figure">{formatCount(count)}</strong>
        </li>
      ))}
    </ul>
  );
}

interface FinderProps {
  readonly typed: string;
  onType(text: string): void;
}

/** What is typed is marked on the map, and selects the rows of the tables. */
function Finder({ typed, onType }: FinderProps) {
  const id = useId();
  return (
    <div class="choice map-finder">
      <label for={id}>Find a router</label>
      <input
        id={id}
        type="text"
        value={typed}
        placeholder="a piece of a name, an id, an address"
        spellcheck={false}
        autoComplete="off"
        autoCapitalize="none"
        onInput={(event) => onType(event.currentTarget.value)}
      />
    </div>
  );
}

function pictureName({ isGrouped, nodes, lines }: Drawing): string {
  const what = isGrouped ? 'groups of routers' : 'routers';
  const troubles = [...nodes, ...lines].filter(isTrouble).length;
  const attention = troubles === 0 ? '' : `, of which ${formatCount(troubles)} need attention`;
  return `Map of ${formatCount(nodes.length)} ${what} and ${formatCount(lines.length)} lines${attention}`;
}

function noteOf({ isGrouped, left }: Drawing): string {
  const [routers, links] = [formatCount(drawnMax.routers), formatCount(drawnMax.links)];
  if (isGrouped) {
    return `There are more than ${routers} routers or ${links} links, so routers are drawn in groups by their first role attribute. A click leads to the routers of a group.`;
  }
  const keys = 'Arrow keys move the map, + and - zoom, 0 shows all of it.';
  if (left.routers === 0 && left.links === 0) return `A click leads to the machine. ${keys}`;
  const missing = `${formatCount(left.routers)} routers and ${formatCount(left.links)} links`;
  return `At most ${routers} routers and ${links} links are drawn, the worst first; ${missing} are in the tables only. ${keys}`;
}

const lineMarks = [
  { name: 'thicker line', text: 'more circuits' },
  { name: 'dashes', text: 'waiting, or taken down by an administrator' },
  { name: 'thick dots', text: 'failed or refused' },
  { name: 'larger sign', text: 'more circuits, or more routers of a group' },
] as const;

/** What lines and sizes stand for. */
function LineLegend() {
  return (
    <ul class="plain signs" aria-label="Lines">
      {lineMarks.map(({ name, text }) => (
        <li key={name}>
          <strong>{name}</strong> {text}
        </li>
      ))}
    </ul>
  );
}
