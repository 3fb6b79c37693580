// Reads an XState machine into plain data, and refuses by name every feature that a durable machine
// may not use.

import type { DurableMachine, EffectMethod, MachineRecord } from './machine.ts';
import { type Guard, readGuard, readStep, refusalOf, type Step } from './steps.ts';
import { asNode, type Implementations, type Node, type Transition } from './xstate-node.ts';

/**
 * One way a region may take an event. Branches are tried in order; the first whose guard passes is
 * taken.
 */
export interface Branch {
  /** Undefined for a branch that is always taken. */
  readonly guard: Guard | undefined;
  /** The region's next state; undefined when it stays. */
  readonly target: string | undefined;
  /** The error code when this branch refuses the event. */
  readonly refusal: string | undefined;
  readonly steps: readonly Step[];
}

/** One state of a region. */
export interface RegionState {
  readonly name: string;
  readonly final: boolean;
  readonly branches: ReadonlyMap<string, readonly Branch[]>;
}

/** A region of a machine; a flat machine is one region with an empty name. */
export interface Region {
  readonly name: string;
  readonly states: ReadonlyMap<string, RegionState>;
}

/** A durable machine as plain data. */
export interface Shape {
  readonly kind: string;
  /** The context that guards and assigns get when there is no record yet. */
  readonly blank: MachineRecord;
  readonly regions: readonly Region[];
}

/** A machine that can't be compiled; the message names machine, state and reason. */
export class MachineNotCompilable extends Error {
  override readonly name = 'MachineNotCompilable';
  constructor(place: string, reason: string) {
    super(`machine ${place}: ${reason}`);
  }
}

/** The state in which there is no record. */
export const noneState = 'none';

/**
 * The machine as plain data.
 * @throws MachineNotCompilable for what the contract in `machine.ts` leaves out.
 */
export function readShape({ machine, effects = {} }: DurableMachine): Shape {
  const { root, context, implementations } = asNode(machine);
  const kind = machine.id;
  const reading: Reading = { kind, implementations, effects, used: new Set() };
  if (typeof context !== 'object' || context === null) {
    refuseAt(reading, root, 'its context must be an object, not a function');
  }
  checkNode(reading, root);
  if (root.transitions.size > 0) refuseAt(reading, root, 'transitions of the whole machine');
  const regions =
    root.type === 'parallel'
      ? Object.values(root.states).map((node) => readRegion(reading, node, node.key))
      : [readRegion(reading, root, '')];
  for (const name of Object.keys(effects)) {
    if (!reading.used.has(name)) refuseAt(reading, root, `effect '${name}' is used by no action`);
  }
  return { kind, blank: Object.freeze({ ...context }) as MachineRecord, regions };
}

interface Reading {
  readonly kind: string;
  readonly implementations: Implementations;
  readonly effects: Readonly<Record<string, EffectMethod>>;
  readonly used: Set<string>;
}

function readRegion(reading: Reading, region: Node, name: string): Region {
  if (region.type !== 'compound' && region.type !== 'parallel') {
    refuseAt(reading, region, 'must have states of its own');
  }
  if (name !== '') {
    checkName(reading, region, name);
    checkNode(reading, region);
    if (region.type === 'parallel') refuseAt(reading, region, 'parallel states within a region');
    if (region.transitions.size > 0) refuseAt(reading, region, 'transitions of a whole region');
  }
  const initial = region.initial?.target[0]?.key;
  if (initial !== noneState) {
    refuseAt(reading, region, `its initial state must be 'none', not '${initial}'`);
  }
  if ((region.initial?.actions.length ?? 0) > 0) refuseAt(reading, region, 'initial actions');
  const states = new Map<string, RegionState>();
  for (const node of Object.values(region.states)) states.set(node.key, readState(reading, node));
  return { name, states };
}

function readState(reading: Reading, node: Node): RegionState {
  checkName(reading, node, node.key);
  if (node.type === 'history') refuseAt(reading, node, 'history states');
  if (node.type !== 'atomic' && node.type !== 'final') refuseAt(reading, node, 'nested states');
  checkNode(reading, node);
  const final = node.type === 'final';
  if (final && node.transitions.size > 0) {
    refuseAt(reading, node, 'a final state with transitions');
  }
  if (final && node.key === noneState) refuseAt(reading, node, "'none' cannot be final");
  const branches = new Map<string, readonly Branch[]>();
  for (const [event, transitions] of node.transitions) {
    if (event === '*' || event.endsWith('.*')) refuseAt(reading, node, `wildcard event '${event}'`);
    branches.set(event, readBranches(reading, node, event, transitions));
  }
  return { name: node.key, final, branches };
}

function readBranches(
  reading: Reading,
  node: Node,
  event: string,
  transitions: readonly Transition[],
): readonly Branch[] {
  const branches: Branch[] = [];
  for (const transition of transitions) {
    if (branches.at(-1)?.guard === undefined && branches.length > 0) {
      refuseAt(reading, node, `a branch of '${event}' behind one that is always taken`);
    }
    const problem = (reason: string) => refuseAt(reading, node, `on '${event}': ${reason}`);
    const target = readTarget(reading, node, event, transition);
    const refusal = refusalOf(transition.actions, problem);
    if (refusal !== undefined && target !== undefined) problem('refuses and has a target');
    branches.push({
      guard: readGuard(transition.guard, reading.implementations.guards, problem),
      target,
      refusal,
      steps: refusal === undefined ? readSteps(reading, transition.actions, problem) : [],
    });
  }
  return branches;
}

function readTarget(
  reading: Reading,
  node: Node,
  event: string,
  transition: Transition,
): string | undefined {
  if (transition.target === undefined) return undefined;
  const target = transition.target[0];
  if (transition.target.length !== 1 || target === undefined || target.parent !== node.parent) {
    refuseAt(reading, node, `on '${event}': its target must be one state of the same region`);
  }
  if (target.key === noneState) {
    refuseAt(reading, node, `on '${event}': 'none' is no target, a final state deletes`);
  }
  return target.key;
}

function readSteps(
  { implementations, effects, used }: Reading,
  actions: readonly unknown[],
  problem: (reason: string) => never,
): readonly Step[] {
  return actions.map((action) => {
    const step = readStep(action, implementations.actions, effects, problem);
    if (step.effect !== undefined) used.add(step.name);
    return step;
  });
}

function checkNode(reading: Reading, node: Node): void {
  if (node.invoke.length > 0) refuseAt(reading, node, 'invoke');
  if (node.after.length > 0) refuseAt(reading, node, 'after');
  if ((node.always?.length ?? 0) > 0) refuseAt(reading, node, 'always');
  if (node.entry.length + node.exit.length > 0) refuseAt(reading, node, 'entry or exit actions');
  if (node.config.onDone !== undefined) refuseAt(reading, node, 'onDone');
  if (node.config.route !== undefined) refuseAt(reading, node, 'route');
}

function checkName(reading: Reading, node: Node, name: string): void {
  if (!/^[a-zA-Z][a-zA-Z0-9]*$/.test(name)) {
    refuseAt(reading, node, 'its name must be letters and digits');
  }
}

function refuseAt(reading: Reading, node: Node, reason: string): never {
  const path = node.path.length > 0 ? `, state ${node.path.join('.')}` : '';
  throw new MachineNotCompilable(`${reading.kind}${path}`, reason);
}
