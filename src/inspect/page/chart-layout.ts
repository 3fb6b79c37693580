// The geometry of a machine: the positions of its states and transitions, laid out by dagre.

import { Graph, layout } from '@dagrejs/dagre';
import type { MachineTransition, MachineView } from '../contract.ts';
import { type ChartEvent, chartEvents, chartType, extentOf } from './chart-text.ts';
import { smoothPath } from './smooth-path.ts';

/** One state. `x` and `y` are its centre. */
export interface ChartState {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Drawn as a dot: where there is no instance yet. */
  readonly isDot: boolean;
  /** It has no outgoing transitions. */
  readonly isFinal: boolean;
  /** Events that are taken and leave the state as it is. */
  readonly inner: readonly ChartEvent[];
}

/** All ways from one state to another. `x` and `y` are the centre of its text. */
export interface ChartWay {
  readonly from: string;
  readonly to: string;
  readonly path: string;
  readonly x: number;
  readonly y: number;
  readonly events: readonly ChartEvent[];
}

/** A whole chart. */
export interface Chart {
  readonly width: number;
  readonly height: number;
  readonly states: readonly ChartState[];
  readonly ways: readonly ChartWay[];
}

/** On narrow pages, a longer text is broken before its conditions. */
const columnsMax = { LR: 60, TB: 20 } as const;

const dotSize = 18;
const padding = 14;

/** Lays a machine out from left to right, or from top to bottom where the page is narrow. */
export function chartOf(
  machine: Pick<MachineView, 'states' | 'finals' | 'transitions'>,
  direction: 'LR' | 'TB',
): Chart {
  const graph = new Graph({ directed: true });
  const labels = { rankdir: direction, nodesep: 36, ranksep: 44, edgesep: 24 };
  graph.setGraph({ ...labels, marginx: 8, marginy: 8 });
  const states = machine.states.map((name) => measured(name, machine, direction));
  for (const { name, width, height } of states) graph.setNode(name, { width, height });
  const ways = waysOf(machine, direction);
  for (const { from, to, events } of ways) {
    const { width, height } = extentOf(events);
    graph.setEdge(from, to, { width: width + 10, height: height + 4, labelpos: 'c' });
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    states: states.map((state) => {
      const { x = 0, y = 0 } = graph.node(state.name) as { x?: number; y?: number };
      return { ...state, x, y };
    }),
    ways: ways.map((way) => {
      const { points = [], x = 0, y = 0 } = graph.edge(way.from, way.to) as Laid;
      return { ...way, path: smoothPath(points, direction === 'LR' ? 'x' : 'y'), x, y };
    }),
  };
}

interface Laid {
  readonly points?: readonly { readonly x: number; readonly y: number }[];
  readonly x?: number;
  readonly y?: number;
}

type Unplaced<Placed> = Omit<Placed, 'x' | 'y' | 'path'>;

function measured(
  name: string,
  { finals, transitions }: Pick<MachineView, 'finals' | 'transitions'>,
  direction: 'LR' | 'TB',
): Unplaced<ChartState> {
  const staying = transitions.filter(({ from, to }) => from === name && to === name);
  const inner = chartEvents(staying, columnsMax[direction]);
  // A stored machine begins where there is no record: a dot, as people draw it.
  const isDot = /(^|:)none$/.test(name) && inner.length === 0;
  const isFinal = finals.includes(name);
  if (isDot) return { name, width: dotSize, height: dotSize, isDot, isFinal, inner };
  const extent = extentOf(inner);
  const textWidth = Math.max(name.length * chartType.nameColumn, extent.width);
  const innerHeight = inner.length === 0 ? 0 : extent.height + 10;
  const height = chartType.nameLine + padding + innerHeight;
  return { name, width: Math.max(72, textWidth + padding * 2), height, isDot, isFinal, inner };
}

function waysOf(
  { transitions }: Pick<MachineView, 'transitions'>,
  direction: 'LR' | 'TB',
): Unplaced<ChartWay>[] {
  const ways = new Map<string, MachineTransition[]>();
  for (const transition of transitions) {
    if (transition.from === transition.to) continue;
    const key = `${transition.from} ${transition.to}`;
    const way = ways.get(key);
    if (way === undefined) ways.set(key, [transition]);
    else way.push(transition);
  }
  return [...ways.values()].flatMap((way) => {
    const [first] = way;
    if (first === undefined) return [];
    const events = chartEvents(way, columnsMax[direction]);
    return [{ from: first.from, to: first.to, events }];
  });
}
