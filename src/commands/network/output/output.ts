// How answers are printed: as a table, as JSON or YAML, or as names and ids for scripts.

import type { ProcessContext } from '../../../assembly/process-context.ts';
import { secretMask } from '../../../errors/errors.ts';
import { printable } from '../../../platform/printable.ts';
import { CommandFailure } from '../command-failure.ts';
import { type CellContext, columnsOf } from '../kinds/columns.ts';
import type { KindRow } from '../kinds/kind.ts';
import { type Entity, nameOf } from '../kinds/names.ts';
import { type Column, Table } from './table.ts';

/** Forms of answers. */
const outputForms = ['table', 'wide', 'json', 'yaml', 'name', 'id'] as const;

/** One of them. */
type OutputForm = (typeof outputForms)[number];

/** How a command prints its answer. */
export interface OutputOrder {
  readonly form: OutputForm;
  /** Titles of the columns to show, in their order; all of the kind when absent. */
  readonly columns?: readonly string[] | undefined;
  readonly withHeader: boolean;
}

/** Reads the flags of output. @throws CommandFailure */
export function outputOrder(flags: Readonly<Record<string, unknown>>): OutputOrder {
  const { output = 'table', columns, headers } = flags;
  const form = outputForms.find((one) => one === output);
  if (form === undefined) {
    throw CommandFailure.wrong(
      `-o is ${JSON.stringify(output)} but must be one of ${outputForms.join(', ')}.`,
    );
  }
  const titles = typeof columns === 'string' ? columns.split(',') : undefined;
  return { form, columns: titles, withHeader: headers !== false };
}

/**
 * An entity as the API shows it, without its links. The API shows callers the token of their own
 * session, which outputs that people keep must not have.
 */
function shownEntity({ name }: KindRow, { _links, ...entity }: Entity): Record<string, unknown> {
  return name === 'api-session' ? { ...entity, token: secretMask } : entity;
}

/** The columns of the terminal that standard output is; undefined elsewhere. */
export function terminalColumns(
  context: Pick<ProcessContext, 'outIsTerminal' | 'environment' | 'outColumns'>,
): number | undefined {
  if (!context.outIsTerminal) return undefined;
  const { COLUMNS: given } = context.environment;
  const asked = Number(given);
  if (given && Number.isInteger(asked) && asked > 0) return asked;
  return context.outColumns();
}

/** Prints rows `R`, page by page, in one form; `C` is what the cells of a page need besides. */
export interface RowWriter<R, C> {
  page(rows: readonly R[], cells: C): void;
  end(): void;
}

/** What rows of one sort are as tables and as data. */
export interface RowShape<R, C> {
  /** How messages name them: `identities`. */
  readonly plural: string;
  columns(cells: C): readonly Column<R>[];
  /** A row as JSON and YAML show it. */
  shown(row: R): object;
}

/** Forms of rows that have no name and no id. */
export interface ShapedOrder extends OutputOrder {
  readonly form: 'table' | 'wide' | 'json' | 'yaml';
}

/** @throws CommandFailure for columns that the kind lacks */
export async function rowWriter(
  kind: KindRow,
  order: OutputOrder,
  context: ProcessContext,
): Promise<RowWriter<Entity, CellContext>> {
  const line = (text: string) => context.out(`${text}\n`);
  const { form } = order;
  switch (form) {
    case 'name':
      return eachRow((row) => line(`${kind.name}/${printable(nameOf(row))}`));
    case 'id':
      return eachRow(({ id }) => line(printable(id)));
    default: {
      const columns = (cells: CellContext) => columnsOf(kind, cells);
      const shown = (row: Entity) => shownEntity(kind, row);
      const shape = { plural: kind.plural, columns, shown };
      return await shapedWriter(shape, { ...order, form }, context);
    }
  }
}

/** @throws CommandFailure for columns that the rows lack */
export async function shapedWriter<R, C>(
  shape: RowShape<R, C>,
  order: ShapedOrder,
  context: ProcessContext,
): Promise<RowWriter<R, C>> {
  switch (order.form) {
    case 'table':
    case 'wide':
      return tableWriter(shape, order, context);
    case 'json':
      return jsonWriter(shape, context);
    case 'yaml': {
      const { stringify } = await import('yaml');
      return {
        page: (rows) => {
          if (rows.length > 0) context.out(stringify(rows.map(shape.shown), yamlStyle));
        },
        end: () => undefined,
      };
    }
  }
}

/** Long texts stay on one line, and values that occur twice are written twice. */
export const yamlStyle = { lineWidth: 0, aliasDuplicateObjects: false } as const;

function eachRow(write: (row: Entity) => void): RowWriter<Entity, CellContext> {
  return { page: (rows) => rows.forEach(write), end: () => undefined };
}

function jsonWriter<R, C>({ shown }: RowShape<R, C>, context: ProcessContext): RowWriter<R, C> {
  let isFirst = true;
  return {
    page: (rows) => {
      for (const row of rows) {
        context.out(`${isFirst ? '[\n' : ',\n'}${JSON.stringify(shown(row))}`);
        isFirst = false;
      }
    },
    end: () => context.out(isFirst ? '[]\n' : '\n]\n'),
  };
}

function tableWriter<R, C>(
  shape: RowShape<R, C>,
  order: OutputOrder,
  context: ProcessContext,
): RowWriter<R, C> {
  let table: Table<R> | undefined;
  return {
    page: (rows, cells) => {
      table ??= tableOf(shape.plural, shape.columns(cells), rows, order, context);
      for (const text of table.lines(rows)) context.out(`${text}\n`);
    },
    end: () => undefined,
  };
}

/**
 * A table as an order wants it.
 * @param first the rows from which its widths follow
 * @throws CommandFailure for columns that the rows lack
 */
export function tableOf<R>(
  plural: string,
  columns: readonly Column<R>[],
  first: readonly R[],
  order: OutputOrder,
  context: ProcessContext,
): Table<R> {
  const width = order.form === 'wide' ? undefined : terminalColumns(context);
  const layout = { columns: width, withHeader: order.withHeader };
  return new Table(selected(plural, columns, order), first, layout);
}

/**
 * The columns that an order shows, in its order.
 * @param plural how messages name the rows
 * @throws CommandFailure for a column that there is not
 */
export function selected<R>(
  plural: string,
  columns: readonly Column<R>[],
  { form, columns: titles }: OutputOrder,
): Column<R>[] {
  if (titles === undefined) {
    return columns.filter(({ isWide }) => isWide !== true || form === 'wide');
  }
  return titles.map((title) => {
    const found = columns.find((column) => column.title === title.trim().toUpperCase());
    if (found !== undefined) return { ...found, isOptional: undefined };
    const known = columns.map((column) => column.title).join(', ');
    throw CommandFailure.wrong(`${plural} have no column "${title}". Columns are: ${known}.`);
  });
}

/** Pairs of a name and a value as two columns. */
export function pairLines(pairs: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`.trimEnd());
}

/** Prints one entity in the form of an order; `text` is what a table shows of it. */
export async function writeEntity(
  kind: KindRow,
  entity: Entity,
  { form }: OutputOrder,
  context: ProcessContext,
  text: () => string,
): Promise<void> {
  switch (form) {
    case 'table':
    case 'wide':
      return context.out(text());
    case 'json':
      return context.out(`${JSON.stringify(shownEntity(kind, entity), null, 2)}\n`);
    case 'yaml': {
      const { stringify } = await import('yaml');
      return context.out(stringify(shownEntity(kind, entity), yamlStyle));
    }
    case 'name':
      return context.out(`${kind.name}/${printable(nameOf(entity))}\n`);
    case 'id':
      return context.out(`${printable(entity.id)}\n`);
  }
}
