// The operations that show machines and their instances.

import Type, { type TSchema } from 'typebox';
import { detail, type Reply } from '../../../declare/operations/operation.ts';
import { type ValueList, valueListReply } from '../../../declare/resources/value-list.ts';
import { notFound } from '../../../errors/errors.ts';
import type { ScalarSymbol } from '../../../filter/scope.ts';
import {
  detailSchema,
  type InstanceRow,
  type MachineView,
  machineSchema,
  rowSchema,
} from '../../messages.ts';
import { type Context, type InspectEnvironment, type Operation, operation } from '../context.ts';
import type { Inspection } from '../instances/inspection.ts';
import { type InstancePage, presentRows } from '../instances/instance-list.ts';
import { instanceSymbols } from '../instances/instance-resources.ts';
import { instanceDetail, instanceRow, liveDetail, liveRow } from '../instances/instance-views.ts';
import type { LiveMachine } from './live-machines.ts';
import { plainKind } from './machine-charts.ts';

/** Machines, their instances, one instance. */
export const machineOperations: readonly Operation[] = [
  operation({
    id: 'listInspectedMachines',
    path: '/inspect/machines',
    answered: 'leader',
    permission: 'admin_readonly',
    summary: 'List every state machine with the number of its instances by state, and other kinds',
    answer: Type.Array(machineSchema),
    errors: [401],
    decide: ({ env }) => detail([JSON.stringify(machineViews(env))]),
  }),
  operation<TSchema, InstancePage | undefined>({
    id: 'listInspectedInstances',
    path: '/inspect/machines/{kind}/instances',
    answered: 'leader',
    permission: 'admin_readonly',
    summary: 'List the records of a kind, or the instances of a live machine',
    answer: Type.Array(rowSchema),
    isList: true,
    errors: [400, 401, 404, 429],
    prepare: (context) => pageOf(context),
    decide: (context, page) =>
      page === undefined ? liveReply(context, liveOf(context)) : pageReply(context, page),
  }),
  operation({
    id: 'detailInspectedInstance',
    path: '/inspect/machines/{kind}/instances/{id}',
    answered: 'leader',
    permission: 'admin_readonly',
    summary: 'Get one record or instance, with what it waits for and what it belongs to',
    answer: detailSchema,
    errors: [401, 404],
    decide: (context) => detail([JSON.stringify(detailOf(context))]),
  }),
];

/**
 * All machines, those of records first, then the kinds without one. It needs no search. The counts
 * are figures of the process, so the answer does not wait until they are durable: they are needed
 * most while the disk is full.
 */
function machineViews({ inspection, store }: InspectEnvironment): MachineView[] {
  const durable = inspection.durable.map((kind) =>
    viewOf(inspection, kind, inspection.states.counts(kind)),
  );
  const live = inspection.live.map((machine) => {
    const counts = new Map<string, number>();
    for (const { state } of machine.instances()) counts.set(state, (counts.get(state) ?? 0) + 1);
    return viewOf(inspection, machine.id, counts);
  });
  const others = inspection.kinds.filter((kind) => inspection.chartOf(kind) === undefined);
  const plain = others.map((kind) => ({
    ...plainKind(kind),
    total: store.tableNamed(kind).size,
    counts: {},
  }));
  return [...durable, ...live, ...plain]
    .filter((view) => view !== undefined)
    .map((view) => ({ ...view, isVolatile: view.isLive || store.tableNamed(view.id).isVolatile }));
}

function viewOf(
  inspection: Inspection,
  id: string,
  counted: ReadonlyMap<string, number>,
): Omit<MachineView, 'isVolatile'> | undefined {
  const chart = inspection.chartOf(id);
  if (chart === undefined) return undefined;
  // A record that is damaged may be in a state that its machine does not have.
  const states = new Set([...chart.present, ...counted.keys()]);
  const counts = Object.fromEntries([...states].map((state) => [state, counted.get(state) ?? 0]));
  let total = 0;
  for (const count of counted.values()) total += count;
  return { ...chart.drawn, total, counts };
}

/** Undefined for a live machine, whose instances need no search. @throws ApiError NOT_FOUND. */
function pageOf(context: Context): Promise<InstancePage> | undefined {
  const { inspection, registry } = context.env;
  const resource = inspection.resourceOf(kindOf(context));
  if (resource !== undefined) return inspection.lists.page(context, registry.of(resource));
  liveOf(context);
  return undefined;
}

function pageReply(context: Context, page: InstancePage): Reply {
  const { env } = context;
  const kind = kindOf(context);
  const rows = presentRows(context, kind, page).map((row) => instanceRow(env, kind, row));
  const filterableFields = env.inspection.resourceOf(kind)?.symbols ?? [];
  const list = { ...page.paging, totalCount: page.total, filterableFields };
  return { form: 'data', status: 200, data: [JSON.stringify(rows)], list };
}

function liveReply(context: Context, machine: LiveMachine): Reply {
  return valueListReply(context, { ...liveList, things: machine.instances().map(liveRow) });
}

const text = (name: 'id' | 'name' | 'state'): ScalarSymbol<InstanceRow, undefined> => ({
  form: 'scalar',
  type: 'string',
  read: (row) => row[name],
});
const moment = (name: 'createdAt' | 'updatedAt'): ScalarSymbol<InstanceRow, undefined> => ({
  form: 'scalar',
  type: 'datetime',
  read: (row) => Date.parse(row[name]),
});

const liveSymbols = new Map<string, ScalarSymbol<InstanceRow, undefined>>([
  ['id', text('id')],
  ['name', text('name')],
  ['state', text('state')],
  ['createdAt', moment('createdAt')],
  ['updatedAt', moment('updatedAt')],
]);

const liveList: Omit<ValueList<InstanceRow>, 'things'> = {
  scope: { symbol: (name) => liveSymbols.get(name), linked: () => undefined },
  filterableFields: instanceSymbols,
  text: (row) => JSON.stringify(row),
};

function detailOf(context: Context) {
  const { env, params } = context;
  const kind = kindOf(context);
  const id = params['id'] ?? '';
  if (env.inspection.resourceOf(kind) !== undefined) {
    const row = env.store.tableNamed(kind).find(id);
    if (row === undefined) throw notFound(kind, id);
    return instanceDetail(env, kind, row);
  }
  const machine = liveOf(context);
  const instance = machine.instances().find((one) => one.id === id);
  if (instance === undefined) throw notFound(machine.name, id);
  return liveDetail(env, machine, instance);
}

function liveOf(context: Context): LiveMachine {
  const kind = kindOf(context);
  const machine = context.env.inspection.liveOf(kind);
  if (machine === undefined) throw notFound('machine', kind);
  return machine;
}

function kindOf({ params }: Context): string {
  return params['kind'] ?? '';
}
