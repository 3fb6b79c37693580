// `list KIND`: all rows of a list, page by page.

import type { ProcessContext } from '../../../assembly/process-context.ts';
import { CommandFailure } from '../command-failure.ts';
import { type Asking, pageRows } from '../connection/asking.ts';
import type { CellContext } from '../kinds/columns.ts';
import type { KindRow } from '../kinds/kind.ts';
import type { Entity } from '../kinds/names.ts';
import { attributeOf } from '../kinds/roles.ts';
import { serviceCells } from '../kinds/service-cells.ts';
import { type OutputOrder, outputOrder, rowWriter } from '../output/output.ts';

/** What a list shows. */
export interface ListOrder {
  readonly filter: string | undefined;
  readonly sort: string | undefined;
  /** Rows in all; undefined for all of them. */
  readonly limit: number | undefined;
  readonly output: OutputOrder;
}

type Flags = Readonly<Record<string, unknown>>;

/** Reads the flags of `list`. @throws CommandFailure */
export function listOrder(kind: KindRow, flags: Flags): ListOrder {
  const { sort, limit } = flags;
  const count = limit === undefined ? 0 : Number(limit);
  if (!Number.isInteger(count) || count < 0) {
    throw CommandFailure.wrong(`--limit is ${JSON.stringify(limit)} but must be a number of rows.`);
  }
  return {
    filter: filterOf(kind, flags),
    sort: typeof sort === 'string' ? sort : kind.isNamed ? 'name' : undefined,
    limit: count === 0 ? undefined : count,
    output: outputOrder(flags),
  };
}

/** The condition of `--filter`, `--role` and `--match` together; undefined without any. */
export function filterOf(kind: KindRow, { filter, role, match }: Flags): string | undefined {
  const conditions: string[] = [];
  if (typeof filter === 'string') conditions.push(filter);
  if (typeof role === 'string') {
    if (!kind.fields.some(({ type }) => type === 'attributes')) {
      throw CommandFailure.wrong(`${kind.plural} have no role attributes.`);
    }
    const attribute = JSON.stringify(attributeOf('--role', role));
    conditions.push(`anyOf(roleAttributes) = ${attribute}`);
  }
  if (typeof match === 'string') {
    if (!kind.isNamed) throw CommandFailure.wrong(`${kind.plural} have no names.`);
    conditions.push(`name icontains ${JSON.stringify(match)}`);
  }
  if (conditions.length < 2) return conditions[0];
  return conditions.map((condition) => `(${condition})`).join(' and ');
}

/** Prints the rows of a list. @throws CommandFailure */
export async function listRows(
  asking: Asking,
  kind: KindRow,
  order: ListOrder,
  context: ProcessContext,
): Promise<void> {
  const { filter, sort, limit = Number.POSITIVE_INFINITY } = order;
  const writer = await rowWriter(kind, order.output, context);
  let shown = 0;
  let total = 0;
  do {
    const query = { filter, sort, offset: shown, limit: Math.min(pageRows, limit - shown) };
    const page = await asking.page(kind, query);
    total = page.total;
    if (page.rows.length === 0 && shown > 0) break;
    writer.page(page.rows, await cellsOf(asking, kind, page.rows, order.output, context));
    shown += page.rows.length;
    await context.drained();
    if (context.outIsClosed() || page.rows.length === 0) return finish();
  } while (shown < total && shown < limit);
  return finish();

  function finish(): void {
    writer.end();
    if (shown < total && !context.outIsClosed()) {
      context.err(`${shown} of ${total}; --limit 0 shows all\n`);
    }
  }
}

async function cellsOf(
  asking: Asking,
  kind: KindRow,
  rows: readonly Entity[],
  { form }: OutputOrder,
  context: ProcessContext,
): Promise<CellContext> {
  const nowMs = context.clock.now();
  const isTable = form === 'table' || form === 'wide';
  if (kind.name !== 'service' || !isTable) {
    return { nowMs, addresses: new Map(), hosts: new Map() };
  }
  return { nowMs, ...(await serviceCells(asking, rows)) };
}
