// What inspectors need of the controller besides its store. There is one per controller.

import type { ApiSessionLife } from '../../../auth/sessions/life.ts';
import type { Kind } from '../../../declare/kinds/kind.ts';
import { RecordNames } from '../../../declare/kinds/record-names.ts';
import type { Resource } from '../../../declare/resources/resource.ts';
import type { MachineCount } from '../../../monitoring/sources.ts';
import type { BoundValues } from '../../../settings/bounds.ts';
import type { Store } from '../../../store/store.ts';
import type { LiveMachine } from '../machines/live-machines.ts';
import { durableChart, liveChart, type MachineChart } from '../machines/machine-charts.ts';
import type { MachineStates } from '../machines/machine-states.ts';
import { InstanceLists } from './instance-list.ts';

/** What an inspection is created with. */
export interface InspectionOptions {
  readonly store: Store;
  readonly kinds: readonly Kind[];
  /** The list of the records of each kind, as `instanceResources` makes them. */
  readonly resources: ReadonlyMap<string, Resource>;
  /** The next event of a record that is sent by itself, and its time. */
  readonly waitOf: ApiSessionLife['waitOf'];
  readonly states: MachineStates;
  readonly bounds?: BoundValues | undefined;
}

/** The machines of a controller with their instances, and the records that have no machine. */
export class Inspection {
  readonly names: RecordNames;
  readonly states: MachineStates;
  readonly lists: InstanceLists;
  readonly waitOf: ApiSessionLife['waitOf'];
  readonly #kinds: ReadonlyMap<string, Kind>;
  readonly #resources: ReadonlyMap<string, Resource>;
  readonly #live = new Map<string, LiveMachine>();
  /** Built on first use. */
  readonly #charts = new Map<string, MachineChart>();

  constructor({ store, kinds, resources, waitOf, states, bounds }: InspectionOptions) {
    this.#kinds = new Map(kinds.map((kind) => [kind.kind, kind]));
    this.#resources = resources;
    this.names = new RecordNames(kinds, store);
    this.states = states;
    this.lists = new InstanceLists(bounds);
    this.waitOf = waitOf;
  }

  /** Adds a live machine. @throws Error if its name is taken, which is a programming error. */
  addLive(machine: LiveMachine): void {
    const { id } = machine;
    if (this.#resources.has(id) || this.#live.has(id)) throw new Error(`two machines named ${id}`);
    this.#live.set(id, machine);
  }

  /** All kinds of records. */
  get kinds(): readonly string[] {
    return [...this.#resources.keys()];
  }

  /** Kinds of records that are instances of machines. */
  get durable(): readonly string[] {
    return this.kinds.filter((kind) => this.#kinds.get(kind)?.machine !== undefined);
  }

  /** The number of records per state of their machines, without states that have none. */
  *counted(): Generator<MachineCount> {
    for (const kind of this.durable) {
      for (const [state, count] of this.states.counts(kind)) yield { kind, state, count };
    }
  }

  /** Machines whose instances are not records, in the order in which they were added. */
  get live(): readonly LiveMachine[] {
    return [...this.#live.values()];
  }

  /** A live machine by its name. */
  liveOf(id: string): LiveMachine | undefined {
    return this.#live.get(id);
  }

  /** The resource that lists a kind's records, to be looked up in the registry. */
  resourceOf(kind: string): Resource | undefined {
    return this.#resources.get(kind);
  }

  /** The chart of a machine; undefined if there is no machine with this name. */
  chartOf(id: string): MachineChart | undefined {
    const known = this.#charts.get(id);
    if (known !== undefined) return known;
    const declaration = this.#resources.has(id)
      ? this.#kinds.get(id)?.machine?.declaration
      : undefined;
    const live = this.#live.get(id);
    const chart = declaration ? durableChart(declaration) : live && liveChart(live);
    if (chart !== undefined) this.#charts.set(id, chart);
    return chart;
  }
}
