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

/** The final state of a parallel region that the record does not have. */
export const absentState = 'absent';

/**
 * The machine as plain data.
 * @throws MachineNotCompilable for what the contract in `machine.ts` leaves out.
 */
export function readShape({ machine, effects = {} }: DurableMachine): Shape {
  const { root, context: blank, implementations } = asNode(machine);
  const kind = machine.id;
  const context: ReadContext = { kind, implementations, effects, used: new Set() };
  if (typeof blank !== 'object' || blank === null) {
    refuseAt(context, root, 'its context must be an object, not a function');
  }
  checkNode(context, root);
  if (root.transitions.size > 0) refuseAt(context, root, 'transitions of the whole machine');
  const regions =
    root.type === 'parallel'
      ? Object.values(root.states).map((node) => readRegion(context, node, node.key))
      : [readRegion(context, root, '')];
  for (const name of Object.keys(effects)) {
    if (!context.used.has(name)) refuseAt(context, root, `effect '${name}' is used by no action`);
  }
  return { kind, blank: Object.freeze({ ...blank }) as MachineRecord, regions };
}

interface ReadContext {
  readonly kind: string;
  readonly implementations: Implementations;
  readonly effects: Readonly<Record<string, EffectMethod>>;
  readonly used: Set<string>;
}

function readRegion(context: ReadContext, region: Node, name: string): Region {
  if (region.type !== 'compound' && region.type !== 'parallel') {
    refuseAt(context, region, 'must have states of its own');
  }
  if (name !== '') {
    checkName(context, region, name);
    checkNode(context, region);
    if (region.type === 'parallel') refuseAt(context, region, 'parallel states within a region');
    if (region.transitions.size > 0) refuseAt(context, region, 'transitions of a whole region');
  }
  const initial = region.initial?.target[0]?.key;
  if (initial !== noneState) {
    refuseAt(context, region, `its initial state must be 'none', not '${initial}'`);
  }
  if ((region.initial?.actions.length ?? 0) > 0) refuseAt(context, region, 'initial actions');
  const states = new Map<string, RegionState>();
  for (const node of Object.values(region.states)) states.set(node.key, readState(context, node));
  return { name, states };
}

function readState(context: ReadContext, node: Node): RegionState {
  checkName(context, node, node.key);
  if (node.type === 'history') refuseAt(context, node, 'history states');
  if (node.type !== 'atomic' && node.type !== 'final') refuseAt(context, node, 'nested states');
  checkNode(context, node);
  const final = node.type === 'final';
  if (final && node.transitions.size > 0) {
    refuseAt(context, node, 'a final state with transitions');
  }
  if (final && node.key === noneState) refuseAt(context, node, "'none' cannot be final");
  if (node.key === absentState && !(final && isInRegion(node))) {
    refuseAt(context, node, "'absent' must be a final state of a parallel region");
  }
  const branches = new Map<string, readonly Branch[]>();
  for (const [event, transitions] of node.transitions) {
    if (event === '*' || event.endsWith('.*')) refuseAt(context, node, `wildcard event '${event}'`);
    branches.set(event, readBranches(context, node, event, transitions));
  }
  return { name: node.key, final, branches };
}

function isInRegion({ parent }: Node): boolean {
  return parent?.parent?.type === 'parallel';
}

function readBranches(
  context: ReadContext,
  node: Node,
  event: string,
  transitions: readonly Transition[],
): readonly Branch[] {
  const branches: Branch[] = [];
  for (const transition of transitions) {
    if (branches.at(-1)?.guard === undefined && branches.length > 0) {
      refuseAt(context, node, `a branch of '${event}' behind one that is always taken`);
    }
    const problem = (reason: string) => refuseAt(context, node, `on '${event}': ${reason}`);
    const target = readTarget(context, node, event, transition);
    const refusal = refusalOf(transition.actions, problem);
    if (refusal !== undefined && target !== undefined) problem('refuses and has a target');
    branches.push({
      guard: readGuard(transition.guard, context.implementations.guards, problem),
      target,
      refusal,
      steps: refusal === undefined ? readSteps(context, transition.actions, problem) : [],
    });
  }
  return branches;
}

function readTarget(
  context: ReadContext,
  node: Node,
  event: string,
  transition: Transition,
): string | undefined {
  if (transition.target === undefined) return undefined;
  const target = transition.target[0];
  if (transition.target.length !== 1 || target === undefined || target.parent !== node.parent) {
    refuseAt(context, node, `on '${event}': its target must be one state of the same region`);
  }
  if (target.key === noneState) {
    refuseAt(context, node, `on '${event}': 'none' is no target, a final state deletes`);
  }
  return target.key;
}

function readSteps(
  { implementations, effects, used }: ReadContext,
  actions: readonly unknown[],
  problem: (reason: string) => never,
): readonly Step[] {
  return actions.map((action) => {
    const step = readStep(action, implementations.actions, effects, problem);
    if (step.effect !== undefined) used.add(step.name);
    return step;
  });
}

function checkNode(context: ReadContext, node: Node): void {
  if (node.invoke.length > 0) refuseAt(context, node, 'invoke');
  if (node.after.length > 0) refuseAt(context, node, 'after');
  if ((node.always?.length ?? 0) > 0) refuseAt(context, node, 'always');
  if (node.entry.length + node.exit.length > 0) refuseAt(context, node, 'entry or exit actions');
  if (node.config.onDone !== undefined) refuseAt(context, node, 'onDone');
  if (node.config.route !== undefined) refuseAt(context, node, 'route');
}

function checkName(context: ReadContext, node: Node, name: string): void {
  if (!/^[a-zA-Z][a-zA-Z0-9]*$/.test(name)) {
    refuseAt(context, node, 'its name must be letters and digits');
  }
}

function refuseAt(context: ReadContext, node: Node, reason: string): never {
  const path = node.path.length > 0 ? `, state ${node.path.join('.')}` : '';
  throw new MachineNotCompilable(`${context.kind}${path}`, reason);
}
