// Machines as they are drawn for inspectors: states, transitions, and the events that a state
// accepts.

import { compile } from '../../../../machines/compile.ts';
import type { DurableMachine } from '../../../../machines/machine.ts';
import { type ChartRegion, statechartOf } from '../../../../machines/statechart.ts';
import type { CompiledMachine, TableRow } from '../../../../machines/table.ts';
import type { MachineTransition, MachineView } from '../../messages.ts';
import type { LiveMachine } from './live-machines.ts';

/** A view without its instances, and what else depends only on the machine. */
export interface MachineChart {
  readonly drawn: Omit<MachineView, 'total' | 'counts' | 'isVolatile'>;
  /** States that an instance can be in. */
  readonly present: readonly string[];
  /** Events that a state accepts, at least under some condition; none for an unknown state. */
  eventsOf(state: string): readonly string[];
}

/** The chart of the machine of a kind. */
export function durableChart(declaration: DurableMachine): MachineChart {
  const table = compile(declaration);
  const rows = [...table.rows.values()];
  const present = rows.filter(({ state, final }) => state !== table.initial && !final);
  return {
    drawn: {
      id: table.kind,
      name: inWords(table.kind),
      isLive: false,
      ...drawnOf(declaration, table.initial),
    },
    present: present.map(({ state }) => state),
    eventsOf: (state) => takenIn(table, state),
  };
}

/** What is told of a kind whose records have no machine: they are in no state. */
export function plainKind(kind: string): MachineChart['drawn'] {
  return {
    id: kind,
    name: inWords(kind),
    isLive: false,
    states: [],
    finals: [],
    meanings: {},
    guards: {},
    initial: '',
    regions: [],
    transitions: [],
  };
}

/** The chart of a live machine. */
export function liveChart(live: Omit<LiveMachine, 'instances'>): MachineChart {
  const { id, name } = live;
  const drawn = drawnOf(live, undefined);
  return {
    drawn: { id, name, isLive: true, ...drawn },
    present: drawn.states,
    eventsOf(state) {
      const lit = state.split(',');
      const taken = drawn.transitions.filter((one) => lit.includes(one.from) && !one.refused);
      return [...new Set(taken.map(({ event }) => event))].sort();
    },
  };
}

function drawnOf(declared: Explained, initial: string | undefined) {
  const { regions } = statechartOf(declared.machine);
  const transitions = regions.flatMap(transitionsOf);
  return {
    states: regions.flatMap((region) => region.states.map(({ name }) => inRegion(region, name))),
    finals: regions.flatMap((region) =>
      region.states.filter(({ isFinal }) => isFinal).map(({ name }) => inRegion(region, name)),
    ),
    initial:
      initial ??
      regions
        .map((region) => inRegion(region, region.initial))
        .sort()
        .join(','),
    regions: regions.map((region) => ({
      name: region.name,
      initial: inRegion(region, region.initial),
      states: region.states.map(({ name }) => inRegion(region, name)),
    })),
    meanings: declared.meanings,
    guards: guardTexts(declared, transitions),
    transitions,
  };
}

type Explained = Pick<DurableMachine, 'meanings' | 'guards'> & { readonly machine: unknown };

/** By the conditions as they are drawn: one with parameters begins with the name of its guard. */
function guardTexts({ guards }: Explained, transitions: readonly MachineTransition[]) {
  const labels = new Set(transitions.flatMap(({ guarded }) => guarded ?? []));
  return Object.fromEntries(
    [...labels].map((label) => {
      const [name = label] = label.split(' ', 1);
      const text = guards[name];
      if (text === undefined) throw new Error(`no words for the guard ${name}`);
      return [label, text] as const;
    }),
  );
}

function transitionsOf(region: ChartRegion): MachineTransition[] {
  return region.arrows.map(({ from, event, to, guard, refusal }) => ({
    from: inRegion(region, from),
    event,
    to: inRegion(region, to),
    ...(guard === undefined ? {} : { guarded: guard }),
    ...(refusal === undefined ? {} : { refused: refusal }),
  }));
}

function inRegion(region: Pick<ChartRegion, 'name'>, state: string): string {
  return region.name === '' ? state : `${region.name}:${state}`;
}

function takenIn({ rows }: CompiledMachine, state: string): readonly string[] {
  const row: TableRow | undefined = rows.get(state);
  if (row === undefined) return [];
  const taken = [...row.cells].filter(([, { outcomes }]) =>
    // A target that depends on the record is not constant, and not a refusal.
    outcomes.some(({ constant }) => constant === undefined || constant.kind === 'moved'),
  );
  return taken.map(([event]) => event).sort();
}

const abbreviations: Readonly<Record<string, string>> = { api: 'API', mfa: 'MFA', ca: 'CA' };

/** `apiSession` as people write it: API session. */
function inWords(kind: string): string {
  const words = kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(' ');
  return words.map((word) => abbreviations[word] ?? word).join(' ');
}
