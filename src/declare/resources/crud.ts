// The operations that any resource can have: list, get, create, put, patch, delete.

import Type from 'typebox';
import { ApiError, fieldError, notFound, notPermitted } from '../../errors/errors.ts';
import type { RecordBase, Row } from '../../store/record.ts';
import type { Fields } from '../kinds/field.ts';
import type { Kind, NewRecord, RecordOf } from '../kinds/kind.ts';
import { isShownTo, listReply, rowsShownTo, whenListable } from '../lists/list.ts';
import { listParametersOf } from '../lists/list-query.ts';
import { type ApiName, apiNames } from '../operations/apis.ts';
import type { Environment } from '../operations/environment.ts';
import type { Access, Context, Operation } from '../operations/operation.ts';
import { created, detail, emptyReply, operation } from '../operations/operation.ts';
import { baseSymbols } from '../symbols/symbols.ts';
import { answerOf } from './answers.ts';
import { bodySchema, patchedValues, tagsOf, wholeValues } from './bodies.ts';
import type { Body, DefinedResource, Draft, Resource, ResourceOptions, Verb } from './resource.ts';

/** The function with which a layer declares its resources; `Env` is what the layer may use. */
export function defineResourceFor<Env extends Environment>() {
  return <F extends Fields, Prepared = undefined>(
    options: ResourceOptions<F, Prepared, Env>,
  ): DefinedResource<F, Env> => {
    const fields = fieldsOf(options);
    const { without } = options;
    return {
      ...(without !== undefined && { where: (record) => Reflect.get(record, without) !== true }),
      ...options,
      operations: options.operations ?? [],
      answerSchema: answerOf({ ...options, fields }),
      fields,
      symbols: [
        ...(options.baseSymbols ?? baseSymbols),
        ...(options.symbols ?? derivedSymbols(options)),
      ],
    };
  };
}

/** The fields of the kind with what the resource changes of them. */
function fieldsOf({
  kind,
  takes,
  amended = {},
}: Pick<Resource, 'kind' | 'takes' | 'amended'>): Fields {
  return Object.fromEntries(
    Object.entries(kind.fields).map(([name, field]) => {
      const isTaken = takes === undefined || takes.includes(name);
      return [
        name,
        { ...field, ...(isTaken ? {} : { write: 'never' as const }), ...amended[name] },
      ];
    }),
  );
}

function derivedSymbols({
  kind,
  hidden = [],
  unfiltered = [],
  alsoFiltered = [],
  symbolSources = {},
}: Pick<
  ResourceOptions<Fields>,
  'kind' | 'hidden' | 'unfiltered' | 'alsoFiltered' | 'symbolSources'
>): readonly string[] {
  const left = new Set<unknown>([...hidden, ...unfiltered, ...Object.values(symbolSources)]);
  const fields = Object.entries(kind.fields)
    .filter(([name, { symbol, show }]) => symbol && show !== 'never' && !left.has(name))
    .map(([name]) => name);
  return [...new Set([...fields, ...Object.keys(symbolSources), ...alsoFiltered])];
}

/** The operations of a resource: those of its verbs and its own. */
export function operationsOf<Env extends Environment>(
  resource: DefinedResource<Fields, Env>,
): Operation<Env>[] {
  const verbs: Verb[] = ['list', 'get', 'create', 'update', 'patch', 'delete'];
  const derived = verbs.flatMap((verb) => {
    const apis = apiNames.filter((api) => resource.verbs[api]?.includes(verb));
    return apis.length === 0 ? [] : [derivations[verb](resource, apis)];
  });
  return [...derived, ...resource.operations];
}

const derivations: Readonly<
  Record<Verb, (resource: Resource, apis: readonly ApiName[]) => Operation>
> = {
  list: listOperation,
  get: getOperation,
  create: createOperation,
  update: (resource, apis) => changeOperation(resource, apis, 'update'),
  patch: (resource, apis) => changeOperation(resource, apis, 'patch'),
  delete: deleteOperation,
};

const accessOf = (resource: Resource, verb: Verb): Access => resource.access?.[verb] ?? 'admin';

/** The right that an operation needs. */
function rightOf(
  resource: Resource,
  verb: Verb,
): Pick<Operation, 'access' | 'permission' | 'refusal'> {
  const access = accessOf(resource, verb);
  const refusal = resource.adminOnly?.[verb];
  const permission = refusal === undefined ? resource.permission : 'admin';
  return permission === undefined ? { access } : { access, permission, refusal };
}

function listOperation(resource: Resource, apis: readonly ApiName[]): Operation {
  return operation({
    id: `list${resource.names.many}`,
    apis,
    path: `/${resource.path}`,
    answered: resource.answered,
    ...rightOf(resource, 'list'),
    summary: `List ${resource.title} records`,
    answer: Type.Array(resource.answerSchema),
    isList: true,
    errors: [400, 401, 429],
    query: listParametersOf(resource),
    prepare(context) {
      const rows = rowsShownTo(context, resource, { form: 'table' });
      return whenListable(context, context.env.registry.of(resource), rows);
    },
    decide(context) {
      resource.viewOptions?.apply(context);
      const rows = rowsShownTo(context, resource, { form: 'table' });
      return listReply(context, context.env.registry.of(resource), rows);
    },
  });
}

function getOperation(resource: Resource, apis: readonly ApiName[]): Operation {
  return operation({
    id: `detail${resource.names.one}`,
    apis,
    path: `/${resource.path}/{id}`,
    answered: resource.answered,
    ...rightOf(resource, 'get'),
    summary: `Get one ${resource.title}`,
    answer: resource.answerSchema,
    errors: [401, 404, 429],
    ...(resource.viewOptions === undefined ? {} : { query: resource.viewOptions.query }),
    decide(context) {
      resource.viewOptions?.apply(context);
      const { record } = rowOf(context, resource);
      if (!isShownTo(context, resource, record)) {
        throw notPermitted(`this ${resource.title} is shown to administrators alone`);
      }
      return detail(context.env.registry.of(resource).view.chunks(record, context));
    },
  });
}

/** The row that the path's `id` names. @throws ApiError NOT_FOUND. */
export function rowOf<F extends Fields>(
  context: Context,
  resource: Resource<F>,
  parameter = 'id',
): Row<RecordOf<F>> {
  const id = context.params[parameter] ?? '';
  const row = context.env.store.table(resource.kind).find(id);
  if (row === undefined || !(resource.where?.(row.record) ?? true)) {
    throw notFound(resource.title, id);
  }
  return row;
}

function createOperation(resource: Resource, apis: readonly ApiName[]): Operation {
  return operation({
    id: `create${resource.names.one}`,
    apis,
    method: 'POST',
    path: `/${resource.path}`,
    ...rightOf(resource, 'create'),
    summary: `Create one ${resource.title}`,
    success: 201,
    body: bodySchema('create', resource.fields, resource.inputs?.create ?? {}, resource.variants),
    errors: [400, 401, 429],
    creates: true,
    grants: true,
    ...(resource.prepare && { prepare: (context) => prepareRecord(context, resource) }),
    decide(context, facts: PreparedRecord | undefined) {
      const { id = newId(context, resource), prepared } = facts ?? {};
      createRecord(context, resource, id, context.body as Body, prepared);
      return created(resource.path, id);
    },
  });
}

/** The id of a record that is about to be created, and the result of its resource's `prepare`. */
interface PreparedRecord {
  readonly id: string;
  readonly prepared?: unknown;
}

function newId(context: Context, resource: Resource): string {
  return resource.idOf?.(context, context.body as Body) ?? context.env.ids.entity();
}

function prepareRecord(
  context: Context,
  resource: Resource,
): PreparedRecord | Promise<PreparedRecord> {
  const id = newId(context, resource);
  const preparing = resource.prepare?.(context, id, context.body as Body);
  return preparing === undefined ? { id } : preparing.then((prepared) => ({ id, prepared }));
}

/** Creates a record of a resource from a checked body. @throws ApiError for a bad value. */
export function createRecord(
  context: Context,
  resource: Resource,
  id: string,
  body: Body,
  prepared?: unknown,
): RecordBase {
  const draft: Draft<RecordBase> = {
    ...wholeValues(resource.fields, body, undefined),
    id,
    createdAt: context.now,
    updatedAt: context.now,
    tags: tagsOf(body) ?? {},
    isSystem: undefined,
  };
  resource.check?.(context, draft, body, undefined);
  const record = insertRecord(context, resource.kind, draft);
  resource.written?.(context, record, body, undefined, prepared);
  return record;
}

/**
 * Writes a new record of a kind, through its machine where it has one. @throws ApiError for
 * dangling references.
 */
export function insertRecord<F extends Fields>(
  context: Pick<Context, 'env' | 'tx' | 'now'>,
  kind: Kind<F>,
  record: NewRecord<F>,
): RecordOf<F> {
  const { env, tx, now } = context;
  refuseDangling(context, kind, record, undefined);
  const table = env.store.table(kind);
  if (kind.machine === undefined) {
    tx.put<RecordBase>(table, record);
  } else {
    env.send(tx, kind.kind, record.id, { type: kind.machine.creates, now, fields: record });
  }
  const row = table.peek(record.id);
  if (row === undefined) throw new Error(`${kind.kind}: nothing was created`);
  return row.record;
}

/**
 * Writes a new record. If another record holds its unique key `index`, the creating event is sent
 * to that record, whose machine refuses it.
 * @throws ApiError as the machine refuses it; Error if it doesn't, which is a bug in the program.
 */
export function createActor<F extends Fields>(
  context: Pick<Context, 'env' | 'tx' | 'now'>,
  kind: Kind<F>,
  index: string,
  record: NewRecord<F>,
): RecordOf<F> {
  const { env, tx, now } = context;
  const { uniqueKeys }: Kind = kind;
  const key = uniqueKeys?.find(({ name }) => name === index)?.key(record);
  const holder = key === undefined ? undefined : env.store.tableNamed(kind.kind).findBy(index, key);
  if (holder === undefined) return insertRecord(context, kind, record);
  const type = kind.machine?.creates ?? '';
  env.send(tx, kind.kind, holder.record.id, { type, now, fields: record });
  throw new Error(`${kind.kind}: the machine let a second record of ${index} ${key} be`);
}

function changeOperation(
  resource: Resource,
  apis: readonly ApiName[],
  verb: 'update' | 'patch',
): Operation {
  const { kind, fields, variants } = resource;
  const isPatch = verb === 'patch';
  return operation({
    id: `${verb}${resource.names.one}`,
    apis,
    method: isPatch ? 'PATCH' : 'PUT',
    path: `/${resource.path}/{id}`,
    ...rightOf(resource, verb),
    summary: isPatch ? `Change parts of one ${resource.title}` : `Replace one ${resource.title}`,
    body: bodySchema(verb, fields, resource.inputs?.[verb] ?? {}, variants),
    errors: resource.changeConflicts ? [400, 401, 404, 409, 429] : [400, 401, 404, 429],
    // The hook that writes what belongs to a record may create another record.
    ...(resource.written && { creates: 'sometimes' as const }),
    grants: true,
    decide(context) {
      const stored = rowOf(context, resource).record;
      if (stored.isSystem && !resource.systemIsEditable)
        throw new ApiError('ENTITY_CAN_NOT_BE_UPDATED');
      const body = context.body as Body;
      const values = isPatch
        ? patchedValues(fields, body, stored)
        : wholeValues(fields, body, stored);
      const tags = tagsOf(body) ?? (isPatch ? stored.tags : {});
      // The fields of its machine (`state`) stay.
      const draft = { ...stored, ...values, tags, updatedAt: context.now };
      resource.check?.(context, draft, body, stored);
      refuseDangling(context, kind, draft, stored);
      const { record } = context.tx.put(context.env.store.tableNamed(kind.kind), draft);
      resource.written?.(context, record, body, stored, undefined);
      return emptyReply;
    },
  });
}

function deleteOperation(resource: Resource, apis: readonly ApiName[]): Operation {
  return operation({
    id: `delete${resource.names.one}`,
    apis,
    method: 'DELETE',
    path: `/${resource.path}/{id}`,
    ...rightOf(resource, 'delete'),
    summary: `Delete one ${resource.title}`,
    errors: deleteErrors(resource),
    grants: true,
    decide(context) {
      const { record } = rowOf(context, resource);
      removeRecord(context, resource, record);
      return emptyReply;
    },
  });
}

/**
 * Where callers other than administrators get 403, a deletion can never be a bad request
 * (behaviour/requests#rights).
 */
function deleteErrors(resource: Resource): readonly number[] {
  if (accessOf(resource, 'delete') === 'admin-or-403') return [401, 403, 404, 429];
  return resource.deleteConflicts ? [400, 401, 404, 409, 429] : [400, 401, 404, 429];
}

/** Deletes a record and everything that is deleted with it. @throws ApiError when it is in use. */
export function removeRecord(context: Context, resource: Resource, record: RecordBase): void {
  resource.removing?.(context, record);
  if (record.isSystem) throw new ApiError('ENTITY_CAN_NOT_BE_DELETED');
  context.env.registry.cascades.remove(context.tx, resource.kind.kind, record.id);
}

/** 400 for the first reference to a missing record; only changed fields are checked. */
function refuseDangling(
  context: Pick<Context, 'env'>,
  kind: Kind,
  record: Body,
  stored: Body | undefined,
): void {
  for (const { field, relation } of kind.relations) {
    const value = record[field];
    if (value === stored?.[field]) continue;
    const ids = relation.ids(value) ?? [];
    const table = context.env.store.tableNamed(relation.kind);
    const { without } = relation.takesHidden
      ? {}
      : (context.env.registry.ofKind(relation.kind)?.resource ?? {});
    const missing = (typeof ids === 'string' ? [ids] : ids).filter((id) => {
      const there = table.find(id)?.record;
      return there === undefined || (without !== undefined && Reflect.get(there, without) === true);
    });
    if (missing.length > 0) {
      throw fieldError(field, 'refers to something that does not exist', missing.join(', '));
    }
  }
}
