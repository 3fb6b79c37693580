// Any XState machine, durable or live, as states and arrows between them, for drawing.

import { MachineNotCompilable } from './shape.ts';
import { nameOf, readGuard, refusalOf } from './steps.ts';
import { asNode, type Implementations, type Node, type Transition } from './xstate-node.ts';

/** A machine as it is drawn. */
export interface Statechart {
  /** One region with an empty name, except in a machine of parallel regions. */
  readonly regions: readonly ChartRegion[];
}

/** A part of a machine that is in one state at a time. */
export interface ChartRegion {
  readonly name: string;
  readonly initial: string;
  readonly states: readonly ChartState[];
  /** In the order of the states that they leave, then in the order in which they are tried. */
  readonly arrows: readonly Arrow[];
}

/** A state without inner states; the name of an inner state has both names, `outer.inner`. */
export interface ChartState {
  readonly name: string;
  readonly isFinal: boolean;
}

/** The effect of an event in a state. */
export interface Arrow {
  readonly from: string;
  /** The next state; the same as `from` when it stays. */
  readonly to: string;
  /** For events from within a live machine: `done`, `failed`, `after retryMs`, `always`. */
  readonly event: string;
  /** Undefined for an arrow that is always taken. */
  readonly guard: string | undefined;
  /** The error code, when the event is refused. */
  readonly refusal: string | undefined;
  /** Names of the actions, without the unnamed ones. */
  readonly actions: readonly string[];
}

/**
 * The chart of a machine. What the whole machine takes is drawn at each of its states.
 * @throws MachineNotCompilable for regions within regions, history states and guards that are not
 *   named.
 */
export function statechartOf(machine: unknown): Statechart {
  const { root, implementations } = asNode(machine);
  const { guards } = implementations;
  const regions = root.type === 'parallel' ? Object.values(root.states) : [root];
  return {
    regions: regions.map((region) => {
      const name = region === root ? '' : region.key;
      const leaves = leavesOf(region);
      return {
        name,
        initial: nameIn(region, entered(region)),
        states: leaves.map((leaf) => ({
          name: nameIn(region, leaf),
          isFinal: leaf.type === 'final',
        })),
        arrows: leaves.flatMap((leaf) => arrowsOf(region, leaf, guards)),
      };
    }),
  };
}

function leavesOf(node: Node): Node[] {
  const inner = Object.values(node.states);
  return inner.flatMap((state) => {
    if (state.type === 'atomic' || state.type === 'final') return [state];
    if (state.type === 'compound') return leavesOf(state);
    return unfit(state, `${state.type} states are not drawn`);
  });
}

/** The innermost state that entering `node` leads to. */
function entered(node: Node): Node {
  const first = node.initial?.target[0];
  return first === undefined ? node : entered(first);
}

function nameIn(region: Node, leaf: Node): string {
  return leaf.path.slice(region.path.length).join('.');
}

/** The arrows of a state itself, then those of the states around it that it does not override. */
function arrowsOf(region: Node, leaf: Node, guards: Implementations['guards']): Arrow[] {
  if (leaf.type === 'final') return [];
  const arrows: Arrow[] = [];
  const known = new Set<string>();
  for (let node: Node | undefined = leaf; node !== undefined; node = node.parent) {
    for (const [event, transitions] of [...node.transitions, ...alwaysOf(node)]) {
      if (known.has(event)) continue;
      for (const one of transitions) arrows.push(arrowOf(region, leaf, event, one, guards));
      // A conditional arrow does not override those of the states around: they are drawn too.
      if (transitions.at(-1)?.guard === undefined) known.add(event);
    }
  }
  return arrows;
}

function alwaysOf({ always = [] }: Node): [string, readonly Transition[]][] {
  return always.length === 0 ? [] : [['', always as readonly Transition[]]];
}

function arrowOf(
  region: Node,
  leaf: Node,
  event: string,
  { guard, target, actions }: Transition,
  guards: Implementations['guards'],
): Arrow {
  const problem = (reason: string) => unfit(leaf, reason);
  const goal = target?.[0];
  const from = nameIn(region, leaf);
  const refusal = refusalOf(actions, problem);
  return {
    from,
    to: goal === undefined ? from : nameIn(region, entered(goal)),
    event: inWords(event),
    guard: readGuard(guard, guards, problem)?.label,
    refusal,
    actions: refusal === undefined ? actions.map(nameOf).filter((name) => name !== '') : [],
  };
}

/** XState's names of the events that it creates itself are of no use to readers. */
function inWords(event: string): string {
  if (event === '') return 'always';
  const [, after] = /^xstate\.after\.(.+?)\./.exec(event) ?? [];
  if (after !== undefined) return `after ${after}`;
  if (event.startsWith('xstate.done.')) return 'done';
  return event.startsWith('xstate.error.') ? 'failed' : event;
}

function unfit({ path }: Node, reason: string): never {
  throw new MachineNotCompilable(path.join('.'), reason);
}
