// The events of a chart as lines of text, and how much room they take.

import type { MachineTransition } from '../contract.ts';

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

/** Measures of the text that the style sheet sets: px, of a monospaced face. */
export const chartType = { nameColumn: 8, eventColumn: 6.7, eventLine: 15, nameLine: 22 } as const;

/** One entry per event, which names all its conditions. */
export function chartEvents(
  transitions: readonly MachineTransition[],
  columnsMax: number,
): ChartEvent[] {
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
    const lines = text.length <= columnsMax ? [text] : [event, ...conditions];
    return { event, text, lines, isRefused };
  });
}

/** Width and height of events below each other, px. */
export function extentOf(events: readonly ChartEvent[]): { width: number; height: number } {
  const lines = events.flatMap((event) => event.lines);
  const columns = Math.max(0, ...lines.map((line) => line.length));
  return { width: columns * chartType.eventColumn, height: lines.length * chartType.eventLine };
}

/** Lines with the place of each, the first on the baseline `top`. */
export function placedLines(
  events: readonly ChartEvent[],
  top: number,
): readonly { readonly event: ChartEvent; readonly line: string; readonly y: number }[] {
  return events
    .flatMap((event) => event.lines.map((line) => ({ event, line })))
    .map((each, index) => ({ ...each, y: top + index * chartType.eventLine }));
}
