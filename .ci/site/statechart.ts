// A durable machine as a drawing, laid out as the inspector does it.

import type { DurableMachine } from '../../machines/machine.ts';
import { type ChartRegion, statechartOf } from '../../machines/statechart.ts';
import {
  type ChartEvent,
  type ChartState,
  type ChartWay,
  chartOf,
  chartType,
  extentOf,
} from '../../src/inspect/page/components/chart.ts';
import { durableChart } from '../../src/inspect/server/machines/machine-charts.ts';
import { drawing } from './drawing.ts';
import { escaped, table } from './html.ts';

/** The machine as SVG within HTML, and a table of all transitions with effects and error codes. */
export function statechart(machine: DurableMachine): string {
  const { drawn } = durableChart(machine);
  const chart = chartOf(drawn, 'TB');
  const head = `${drawn.id}-head`;
  const ways = chart.ways.map((way) => wayOf(way, head));
  const parts = [...ways, ...chart.states.map(stateOf)];
  const svg = drawing({ name: `Statechart of ${drawn.id}`, head, parts, ...chart });
  const rows = statechartOf(machine.machine).regions.flatMap(rowsOf);
  const columns = ['state', 'event', 'condition', 'next state', 'effects', 'refused with'];
  return `${svg}<details><summary>All transitions</summary>${table(columns, rows)}</details>\n`;
}

function rowsOf({ name, arrows }: ChartRegion): string[][] {
  const inRegion = (state: string) => escaped(name === '' ? state : `${name}: ${state}`);
  return arrows.map(({ from, event, guard = '', to, actions, refusal = '' }) => [
    inRegion(from),
    escaped(event),
    escaped(guard),
    refusal === '' ? inRegion(to) : '',
    refusal === '' ? escaped(actions.join(', ')) : '',
    escaped(refusal),
  ]);
}

function stateOf({ name, x, y, width, height, isDot, isFinal, inner }: ChartState): string {
  if (isDot) return `<circle class="dot" cx="${x}" cy="${y}" r="${width / 2 - 2}"/>`;
  const [left, top] = [x - width / 2, y - height / 2];
  const rim = isFinal ? box(left + 3.5, top + 3.5, width - 7, height - 7, 'rim') : '';
  const title = `<text class="name" x="${x}" y="${top + 24}">${escaped(name)}</text>`;
  return `${box(left, top, width, height, 'state')}${rim}${title}${lines(inner, x, top + 44)}`;
}

function wayOf({ path, x, y, events }: ChartWay, head: string): string {
  const extent = extentOf(events);
  const [width, height] = [extent.width + 6, extent.height + 2];
  const ground = box(x - width / 2, y - height / 2, width, height, 'ground');
  const line = `<path class="way" d="${path}" marker-end="url(#${head})"/>`;
  return `${line}${ground}${lines(events, x, y - extent.height / 2 + 11)}`;
}

function box(x: number, y: number, width: number, height: number, name: string): string {
  const size = `width="${width}" height="${height}"`;
  return `<rect class="${name}" x="${x}" y="${y}" ${size} rx="6"/>`;
}

/** Events below each other; a refused one is struck through. */
function lines(events: readonly ChartEvent[], x: number, top: number): string {
  return events
    .flatMap((event) => event.lines.map((line) => ({ line, isRefused: event.isRefused })))
    .map(({ line, isRefused }, index) => {
      const y = top + index * chartType.eventLine;
      return `<text class="${isRefused ? 'refused' : 'event'}" x="${x}" y="${y}">${escaped(line)}</text>`;
    })
    .join('');
}
