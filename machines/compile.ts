// Compiles an XState machine to its transition table; parallel regions become their product.

import type { DurableMachine } from './machine.ts';
import {
  absentState,
  type Branch,
  MachineNotCompilable,
  noneState,
  type Region,
  type RegionState,
  readShape,
  type Shape,
} from './shape.ts';
import type { Cell, CompiledMachine, Decision, Outcome, TableRow } from './table.ts';

/** States of the table of one machine: the product of regions must not run away. @bound */
const machineStatesMax = 256;

/** The tables of machines, which do not change. */
const compiled = new WeakMap<DurableMachine, CompiledMachine>();

/**
 * The machine's table, which is made when it is first asked for.
 * @throws MachineNotCompilable with the machine, the state and the reason.
 */
export function compile(durable: DurableMachine, statesMax = machineStatesMax): CompiledMachine {
  let table = compiled.get(durable);
  if (table === undefined || table.rows.size > statesMax) {
    table = tableOf(durable, statesMax);
    compiled.set(durable, table);
  }
  return table;
}

function tableOf(durable: DurableMachine, statesMax: number): CompiledMachine {
  const shape = readShape(durable);
  const initial = shape.regions.map((region) => stateOf(shape, region, noneState));
  const rows = new Map<string, TableRow>();
  const waiting: Configuration[] = [initial];
  const reached = new Set<RegionState>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const name = nameOf(shape, next);
    if (rows.has(name)) continue;
    if (rows.size >= statesMax) fail(shape, `it has more than ${statesMax} states`);
    checkNoneTogether(shape, next);
    for (const state of next) reached.add(state);
    rows.set(name, compileRow(shape, next, waiting));
  }
  for (const region of shape.regions) {
    for (const state of region.states.values()) {
      if (!reached.has(state)) fail(shape, `state ${state.name} can't be reached`);
    }
  }
  const { kind, blank } = shape;
  return Object.freeze({ kind, initial: nameOf(shape, initial), rows, blank });
}

/** The state of each region, in the order of `Shape.regions`. */
type Configuration = readonly RegionState[];

/** A branch that is taken, with the index of the region it belongs to. */
interface Taken {
  readonly index: number;
  readonly branch: Branch;
}

function compileRow(shape: Shape, from: Configuration, waiting: Configuration[]): TableRow {
  const state = nameOf(shape, from);
  const cells = new Map<string, Cell>();
  const events = new Set(from.flatMap((region) => [...region.branches.keys()]));
  for (const event of events) cells.set(event, compileCell(shape, from, event, waiting));
  return Object.freeze({
    state,
    final: from.every((region) => region.final),
    cells,
    unhandled: Object.freeze({ kind: 'unhandled', from: state }),
  });
}

function compileCell(
  shape: Shape,
  from: Configuration,
  event: string,
  waiting: Configuration[],
): Cell {
  const takers = from.flatMap((state, index) => {
    const branches = state.branches.get(event);
    return branches === undefined ? [] : [{ index, branches }];
  });
  const refusing = takers.some((taker) => taker.branches.some((b) => b.refusal !== undefined));
  if (refusing && takers.length > 1) {
    // XState would carry out the other region's half; a refusal must leave everything as it was.
    fail(shape, `state ${nameOf(shape, from)}: '${event}' is refused and taken at once`);
  }
  let combinations: Taken[][] = [[]];
  let stride = 1;
  const choices = takers.map(({ index, branches }) => {
    const choice = Object.freeze({ branches, stride });
    const options: (Taken | undefined)[] = branches.map((branch) => ({ index, branch }));
    if (branches.at(-1)?.guard !== undefined) options.push(undefined);
    stride *= options.length;
    combinations = options.flatMap((option) =>
      combinations.map((taken) => (option === undefined ? taken : [...taken, option])),
    );
    return choice;
  });
  const outcomes = combinations.map((taken) => toOutcome(shape, from, taken, waiting));
  const [first] = outcomes;
  const unguarded = takers.every((taker) => taker.branches[0]?.guard === undefined);
  return Object.freeze({
    choices: Object.freeze(choices),
    outcomes: Object.freeze(outcomes),
    always: unguarded ? first?.constant : undefined,
  });
}

function toOutcome(
  shape: Shape,
  from: Configuration,
  taken: readonly Taken[],
  waiting: Configuration[],
): Outcome {
  const fromName = nameOf(shape, from);
  if (taken.length === 0) return constant(fromName, { kind: 'unhandled', from: fromName });
  const [{ branch }] = taken as [Taken];
  if (branch.refusal !== undefined) {
    return constant(fromName, { kind: 'refused', from: fromName, code: branch.refusal });
  }
  const to = from.slice();
  for (const { index, branch } of taken) {
    const region = shape.regions[index];
    if (branch.target !== undefined && region !== undefined) {
      to[index] = stateOf(shape, region, branch.target);
    }
  }
  // Guards are not analysed: each combination counts as possible, even when two regions use the
  // same guard.
  waiting.push(to);
  const state = nameOf(shape, to);
  const final = to.every((region) => region.final);
  const steps = taken.flatMap((one) => one.branch.steps);
  if (steps.length > 0) return Object.freeze({ state, final, steps, constant: undefined });
  const { patch, effects } = nothing;
  return constant(state, { kind: 'moved', from: fromName, state, final, patch, effects }, final);
}

const nothing = { patch: Object.freeze({}), effects: Object.freeze([]) };

function constant(state: string, decision: Decision, final = false): Outcome {
  return Object.freeze({ state, final, steps: [], constant: Object.freeze(decision) });
}

function nameOf(shape: Shape, configuration: Configuration): string {
  const [only] = configuration;
  if (shape.regions[0]?.name === '') return only?.name ?? '';
  const pairs = configuration.flatMap(({ name }, index) =>
    name === absentState ? [] : [`${shape.regions[index]?.name}:${name}`],
  );
  if (pairs.length === 0) fail(shape, 'all its regions may be absent');
  return pairs.sort().join(',');
}

function stateOf(shape: Shape, region: Region, name: string): RegionState {
  return region.states.get(name) ?? fail(shape, `region ${region.name} has no state ${name}`);
}

/**
 * "No record" means that all regions are in `none`, so no region may be there without the others.
 */
function checkNoneTogether(shape: Shape, configuration: Configuration): void {
  const none = configuration.filter((state) => state.name === noneState).length;
  if (none > 0 && none < configuration.length) {
    fail(shape, `state ${nameOf(shape, configuration)}: all regions must leave 'none' together`);
  }
}

function fail(shape: Shape, reason: string): never {
  throw new MachineNotCompilable(shape.kind, reason);
}
