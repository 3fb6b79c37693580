// A machine as a chart: where its states and transitions are drawn, laid out by dagre, the text on
// them, and which of them an instance has reached.

import { type EdgeLabel, Graph, type GraphLabel, layout, type NodeLabel } from '@dagrejs/dagre';
import type { MachineTransition, MachineView, Transition } from '../../messages.ts';
import { smoothPath } from './smooth-path.ts';

/** One event on a way, or within a state. */
export interface ChartEvent {
  readonly event: string;
  /** With its conditions: `timeout [idle]`. */
  readonly text: string;
  /** The same, broken where there is little room. */
  readonly lines: readonly string[];
  /** It is taken to be refused. */
  readonly isRefused: boolean;
}

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

/** From left to right, or from top to bottom. */
type Direction = keyof typeof columnsMax;

/** Measures of the text that the style sheet sets: px, of a monospaced face. */
export const chartType = { nameColumn: 8, eventColumn: 6.7, eventLine: 15, nameLine: 22 } as const;

/** The width of a sign before the name of a state, with the space behind it, in px. */
export const signWidth = 20;

const dotSize = 18;
const padding = 14;

/** Lays a machine out. */
export function chartOf(
  machine: Pick<MachineView, 'states' | 'finals' | 'transitions'>,
  direction: Direction,
): Chart {
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>({ directed: true });
  const labels = { rankdir: direction, nodesep: 36, ranksep: 44, edgesep: 24 };
  graph.setGraph({ ...labels, marginx: 8, marginy: 8 });
  const states = machine.states.map((name) => measured(name, machine, direction));
  for (const { name, width, height } of states) graph.setNode(name, { width, height });
  const ways = waysOf(machine.transitions, direction);
  for (const { from, to, events } of ways) {
    const { width, height } = extentOf(events);
    graph.setEdge(from, to, { width: width + 10, height: height + 4, labelpos: 'c' });
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    states: states.map((state) => {
      const { x = 0, y = 0 } = graph.node(state.name);
      return { ...state, x, y };
    }),
    ways: ways.map((way) => {
      const { points = [], x = 0, y = 0 } = graph.edge(way.from, way.to);
      return { ...way, path: smoothPath(points, direction === 'LR' ? 'x' : 'y'), x, y };
    }),
  };
}

function measured(
  name: string,
  { finals, transitions }: Pick<MachineView, 'finals' | 'transitions'>,
  direction: Direction,
) {
  const staying = transitions.filter(({ from, to }) => from === name && to === name);
  const inner = chartEvents(staying, direction);
  // A stored machine begins where there is no record: a dot, as people draw it.
  const isDot = /(^|:)none$/.test(name) && inner.length === 0;
  const isFinal = finals.includes(name);
  if (isDot) return { name, width: dotSize, height: dotSize, isDot, isFinal, inner };
  const extent = extentOf(inner);
  const textWidth = Math.max(signWidth + name.length * chartType.nameColumn, extent.width);
  const innerHeight = inner.length === 0 ? 0 : extent.height + 10;
  const height = chartType.nameLine + padding + innerHeight;
  return { name, width: Math.max(72, textWidth + padding * 2), height, isDot, isFinal, inner };
}

function waysOf(transitions: readonly MachineTransition[], direction: Direction) {
  const ways = new Map<string, { from: string; to: string; taken: MachineTransition[] }>();
  for (const transition of transitions) {
    const { from, to } = transition;
    if (from === to) continue;
    const way = ways.get(`${from} ${to}`) ?? { from, to, taken: [] };
    way.taken.push(transition);
    ways.set(`${from} ${to}`, way);
  }
  return [...ways.values()].map(({ from, to, taken }) => {
    return { from, to, events: chartEvents(taken, direction) };
  });
}

/** One entry per event, which names all its conditions. */
function chartEvents(transitions: readonly MachineTransition[], direction: Direction) {
  const events = new Map<string, { event: string; guards: string[]; isRefused: boolean }>();
  for (const { event, guarded, refused } of transitions) {
    const isRefused = refused !== undefined;
    const key = `${event} ${isRefused}`;
    const known = events.get(key) ?? { event, guards: [], isRefused };
    if (guarded !== undefined && guarded !== '') known.guards.push(guarded);
    events.set(key, known);
  }
  return [...events.values()].map(({ event, guards, isRefused }) => {
    const conditions = guards.length === 0 ? [] : [`[${guards.join(', ')}]`];
    const text = [event, ...conditions].join(' ');
    const lines = text.length <= columnsMax[direction] ? [text] : [event, ...conditions];
    return { event, text, lines, isRefused };
  });
}

/** Width and height of events below each other, px. */
export function extentOf(events: readonly ChartEvent[]): { width: number; height: number } {
  const lines = events.flatMap((event) => event.lines);
  const columns = Math.max(0, ...lines.map((line) => line.length));
  return { width: columns * chartType.eventColumn, height: lines.length * chartType.eventLine };
}

type Step = Pick<Transition, 'from' | 'event' | 'to'>;

/** The highlighted states: one, or one of each region, `door:open,lamp:on`. */
export function litStates(state: string): readonly string[] {
  return state === '' ? [] : state.split(',');
}

/** Returns a function that says of a way of the chart whether one of `steps` took it. */
export function wasTaken(steps: readonly Step[]): (way: Step) => boolean {
  const taken = new Set<string>();
  for (const { from, event, to } of steps) {
    for (const left of litStates(from)) {
      for (const reached of litStates(to)) taken.add(keyOf({ from: left, event, to: reached }));
    }
  }
  return (way) => taken.has(keyOf(way));
}

function keyOf({ from, event, to }: Step): string {
  return `${from} ${event} ${to}`;
}
