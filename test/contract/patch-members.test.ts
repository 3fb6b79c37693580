// Sends absent, null and the empty value for every member of every PATCH, and compares what they do
// with the table of exceptions in behaviour/records#patch.

import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { operations } from '../../src/assembly/operations.ts';
import { basePaths } from '../../src/declare/operations/apis.ts';
import type { AnyOperation } from '../../src/declare/operations/operation.ts';
import type { Described } from '../declare/arbitrary.ts';
import { type Answer, bootNetwork, urlOf } from '../simulated/network.ts';
import { type Patched, patchedRecords } from './harness/patched-records.ts';

/** What a value does to a member; `default` sets it to another value than the empty one. */
type Effect = 'kept' | 'cleared' | 'default' | '400';

/** The names of a member from the outside in. */
type Path = readonly string[];

interface Member {
  readonly path: Path;
  readonly schema: Described;
}

interface Exception {
  /** The member, as `primary.updb`. */
  readonly member: string;
  /** The path of the resource. */
  readonly of: string;
  readonly byNull: Effect;
  readonly byEmpty: Effect;
}

const exceptions = exceptionsIn(
  readFileSync(new URL('../../docs/behaviour/records.md', import.meta.url), 'utf8'),
);

/** Never shown. */
const secrets = ['password', 'currentPassword'];

/** Read only to refuse it to others than administrators, so it has no value that it could lose. */
const ignored = 'isDefaultAdmin';

const network = await bootNetwork();
const records = await patchedRecords(network);
const used = new Set<Exception>();

for (const operation of operations.filter(({ method }) => method === 'PATCH')) {
  t.test(operation.id, async (t) => {
    const tried = new Set<string>();
    const own = withTexts(
      operation,
      records.filter(({ operation: id, path }) => id === operation.id && isOf(path, operation)),
    );
    const members = own.flatMap((record) => membersOf(bodyOf(operation, record)));
    for (const record of own) {
      for (const member of membersOf(bodyOf(operation, record))) {
        if (at({ ...record.whole, ...record.always }, member.path) === undefined) continue;
        await tryMember(t, operation, record, member);
        tried.add(nameOf(member));
      }
    }
    const missing = members.map(nameOf).filter((name) => name !== ignored && !tried.has(name));
    t.same(missing, [], 'every member was tried');
    t.ok(tried.size > 0);
  });
}

t.test('the table of exceptions has no row too many', (t) => {
  t.same(
    exceptions.filter((one) => !used.has(one)),
    [],
  );
  t.same(network.logged, []);
  t.end();
});

t.teardown(() => network.stop());

/** Whether a path is one of the API of an operation: two APIs may have operations of one id. */
function isOf(path: string, { apis }: AnyOperation): boolean {
  return apis.some((api) => urlOf(path).startsWith(basePaths[api]));
}

/** A plain text that no record has yet, because its field is new, gets a value by itself. */
function withTexts(operation: AnyOperation, own: readonly Patched[]): readonly Patched[] {
  const named = new Set(own.flatMap(({ whole, always }) => Object.keys({ ...whole, ...always })));
  return own.map((record) => {
    const texts = membersOf(bodyOf(operation, record)).filter(
      ({ path, schema: { type, format, enum: words } }) =>
        path.length === 1 &&
        !named.has(nameOf({ path, schema: {} })) &&
        type === 'string' &&
        format === undefined &&
        words === undefined,
    );
    const added = Object.fromEntries(texts.map((member) => [nameOf(member), 'text']));
    return { ...record, whole: { ...added, ...record.whole } };
  });
}

async function tryMember(
  t: Test,
  operation: AnyOperation,
  record: Patched,
  member: Member,
): Promise<void> {
  const { path, schema } = member;
  const name = nameOf(member);
  const resource = operation.path.replace(/^\/|\/\{id\}$/g, '');
  const exception = exceptions.find(
    (one) => one.member === name && (one.of === resource || one.of === 'each'),
  );
  if (exception !== undefined) used.add(exception);
  const { byNull = 'kept', byEmpty = 'cleared' } = exception ?? {};
  const label = `${record.path} ${name}`;
  t.equal(await effectOf(t, record, path, null), byNull, `${label}: null`);
  const empty = emptyOf(schema);
  if (empty === undefined) return;
  const shown = JSON.stringify(empty);
  t.equal(await effectOf(t, record, path, empty), byEmpty, `${label}: ${shown}`);
}

/** Sends one member alone, so that all others are absent, and looks at what became of each. */
async function effectOf(t: Test, record: Patched, path: Path, value: unknown): Promise<Effect> {
  t.match(await send('PATCH', record, record.whole), { status: 200 });
  const before = await viewOf(record);
  const isShown = !secrets.includes(path.at(-1) ?? '');
  if (isShown) t.notOk(isEmpty(at(before, path)), `${path.join('.')} has a value before`);
  const { status } = await send('PATCH', record, only(path, value));
  const after = await viewOf(record);
  for (const name of Object.keys({ ...record.whole, ...record.always })) {
    if (name !== path[0]) t.same(after[name], before[name], `${name} is absent and kept`);
  }
  if (status === 400) {
    t.same(after, before, 'a refusal changes nothing');
    return '400';
  }
  t.equal(status, 200);
  if (path[0] === 'password')
    await network.login(String(record.whole['username']), 'some-password');
  const [was, is] = [at(before, path), at(after, path)];
  if (JSON.stringify(is) === JSON.stringify(was)) {
    t.same(after, before);
    return 'kept';
  }
  return isEmpty(is) ? 'cleared' : 'default';
}

function send(
  method: string,
  { path, always, token = network.admin }: Patched,
  body?: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  return network.call(method, path, {
    token,
    ...(body === undefined ? {} : { body: { ...always, ...body } }),
  });
}

/** A record as it is shown, without what each change moves. */
async function viewOf(record: Patched): Promise<Readonly<Record<string, unknown>>> {
  const { data } = await send('GET', record);
  const { updatedAt: _at, version: _version, ...rest } = data as Record<string, unknown>;
  return rest;
}

/** The body that an operation checks for a record, which may depend on its type. */
function bodyOf({ body }: AnyOperation, { always }: Patched): Described {
  const { anyOf, ...common } = body as Described;
  const isOwn = ({ properties = {} }: Described) =>
    (properties['typeId'] as Described).const === always['typeId'];
  return (anyOf as readonly Described[] | undefined)?.find(isOwn) ?? common;
}

/** The members of a body and of the objects in it. Maps and lists are replaced whole. */
function membersOf({ properties = {} }: Described, outside: Path = []): readonly Member[] {
  return Object.entries(properties).flatMap(([name, schema]: readonly [string, Described]) => {
    const path = [...outside, name];
    return [{ path, schema }, ...membersOf(schema, path)];
  });
}

function nameOf({ path }: Member): string {
  return path.join('.');
}

/** Undefined for numbers and flags, which have no empty value. */
function emptyOf({ type, enum: values, const: constant }: Described): unknown {
  const types = [type].flat();
  if (types.includes('array')) return [];
  if (types.includes('object')) return {};
  const isText = types.includes('string') || values !== undefined || constant !== undefined;
  return isText ? '' : undefined;
}

/** A body with one member. */
function only([name = '', ...inner]: Path, value: unknown): Readonly<Record<string, unknown>> {
  return { [name]: inner.length === 0 ? value : only(inner, value) };
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (outside, name) => (outside as Readonly<Record<string, unknown>> | null)?.[name],
    value,
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : !value;
}

/** The rows of the table of exceptions, one for each member and resource. */
function exceptionsIn(document: string): readonly Exception[] {
  const [, table = ''] = document.split('| member | of | null | empty value |\n');
  const rows = (table.split('\n\n')[0] ?? '').split('\n').slice(1);
  return rows.flatMap((row) => {
    const [members = '', of = '', byNull = '', byEmpty = ''] = row.split('|').slice(1);
    const words = (cell: string) => cell.replaceAll('`', '').trim().split(/, /);
    return words(members).flatMap((member) =>
      words(of).map((one) => {
        return { member, of: one, byNull: effect(byNull), byEmpty: effect(byEmpty) };
      }),
    );
  });
}

function effect(cell: string): Effect {
  const found = (['kept', 'cleared', 'default', '400'] as const).find((one) => one === cell.trim());
  if (found === undefined) throw new RangeError(`${cell} is no effect`);
  return found;
}
