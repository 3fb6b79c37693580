// The operation that finds records and live instances of every kind by a part of their name or id.

import Type, { type TSchema } from 'typebox';
import type { Steps } from '../../../declare/lists/search.ts';
import { detail } from '../../../declare/operations/operation.ts';
import { fieldError } from '../../../errors/errors.ts';
import { boundsOf } from '../../../settings/bounds.ts';
import { FirstItems } from '../../../store/first-items.ts';
import type { Row } from '../../../store/record.ts';
import type { Table } from '../../../store/table.ts';
import { type FoundRecords, foundSchema } from '../../messages.ts';
import { type Context, type InspectEnvironment, type Operation, operation } from '../context.ts';
import { wholeNumber } from '../log/lsn-query.ts';
import { instanceRow, liveRow } from './instance-views.ts';

const limitDefault = 5;

/** `GET /inspect/search` */
export const recordSearch: Operation = operation<TSchema, readonly FoundRows[]>({
  id: 'searchInspectedRecords',
  path: '/inspect/search',
  answered: 'leader',
  permission: 'admin_readonly',
  summary: 'Find records and live instances of every kind by a part of their name or id',
  answer: Type.Array(foundSchema),
  query: {
    text: Type.String({ description: 'A part of the name or id, in any case' }),
    kind: Type.String({ description: 'Only records of this kind' }),
    limit: Type.Integer({ minimum: 1, description: 'How many of each kind' }),
  },
  queryRequired: ['text'],
  errors: [400, 401, 429],
  prepare(context) {
    const { env } = context;
    return env.inspection.lists.inTurn(env, foundRows(env, searchOf(context)));
  },
  decide(context, found) {
    const search = searchOf(context);
    const groups = [...found.map((one) => shown(context.env, one)), ...foundLive(context, search)];
    // A kind that was not searched to its end may hold more, so it is told even without a record.
    const told = groups.filter(({ total, isWhole }) => total > 0 || !isWhole);
    return detail([JSON.stringify(told)]);
  },
});

interface RecordSearch {
  /** In lower case. */
  readonly text: string;
  /** Empty for all kinds. */
  readonly kind: string;
  readonly limit: number;
}

/** @throws ApiError COULD_NOT_VALIDATE. */
function searchOf({ query }: Context): RecordSearch {
  const text = (query.get('text') ?? '').trim().toLowerCase();
  if (text === '' || text.length > searchTextMax) {
    throw fieldError('text', `must have 1 to ${searchTextMax} characters`, text.slice(0, 100));
  }
  const limit = wholeNumber('limit', query.get('limit'), 1, searchLimitMax) ?? limitDefault;
  return { text, kind: query.get('kind') ?? '', limit };
}

/** What was found in one kind: rows may be gone when they are shown. */
interface FoundRows {
  readonly table: Table;
  readonly rows: readonly Row[];
  readonly total: number;
  readonly isWhole: boolean;
}

/** Small kinds first: the bound on rows must not keep a service behind a million sessions. */
function* foundRows(env: InspectEnvironment, search: RecordSearch): Steps<FoundRows[]> {
  const { inspection, store } = env;
  const kinds = inspection.kinds.filter((kind) => search.kind === '' || kind === search.kind);
  const tables = kinds.map((kind) => store.tableNamed(kind)).sort((a, b) => a.size - b.size);
  const found: FoundRows[] = [];
  let left = boundsOf(searchBounds, env.bounds).inspectSearchRowsMax;
  for (const table of tables) {
    const end = Math.min(table.slots, left);
    left -= end;
    found.push(yield* foundIn(env, table, search, end));
  }
  return found;
}

/** The nearest rows among the slots before `end`; the lowest ids of those that are equally near. */
function* foundIn(
  { inspection }: InspectEnvironment,
  table: Table,
  { text, limit }: RecordSearch,
  end: number,
): Steps<FoundRows> {
  const first = new FirstItems<Match>(limit, (a, b) => a.rank - b.rank || byId(a.row, b.row));
  let total = 0;
  const look = (from: number, until: number) => {
    for (let slot = from; slot < until; slot++) {
      const row = table.at(slot);
      if (row === undefined) continue;
      const rank = rankOf(row.id, inspection.names.of(table.kind, row.record), text);
      if (rank === none) continue;
      total += 1;
      first.add({ rank, row });
    }
  };
  for (let from = 0; from < end; from += rowsAStep) {
    yield;
    look(from, Math.min(from + rowsAStep, end));
  }
  const rows = first.takeBehind(0).map(({ row }) => row);
  return { table, rows, total, isWhole: end >= table.slots };
}

interface Match {
  readonly rank: number;
  readonly row: Row;
}

const none = 3;

/** 0 for the text itself, 1 for a name that begins with it, 2 for any other part. */
function rankOf(id: string, name: string, text: string): number {
  const itsName = name.toLowerCase();
  const itsId = id.toLowerCase();
  if (itsName === text || itsId === text) return 0;
  if (itsName.startsWith(text)) return 1;
  return itsName.includes(text) || itsId.includes(text) ? 2 : none;
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function shown(env: InspectEnvironment, { table, rows, total, isWhole }: FoundRows): FoundRecords {
  env.store.fence.note(table.lastLsn);
  const present = rows.filter((row) => table.find(row.id) === row);
  const instances = present.map((row) => instanceRow(env, table.kind, row));
  return { kind: table.kind, total, isWhole, instances };
}

function foundLive({ env }: Context, { text, kind, limit }: RecordSearch): FoundRecords[] {
  const machines = env.inspection.live.filter(({ id }) => kind === '' || id === kind);
  return machines.map((machine) => {
    const found = machine.instances().filter(({ id, name }) => rankOf(id, name, text) !== none);
    const instances = found.slice(0, limit).map(liveRow);
    return { kind: machine.id, total: found.length, isWhole: true, instances };
  });
}

/** Characters of a text that is searched for: the longest names. @bound */
const searchTextMax = 1000;

/** Records of each kind that one search answers. @bound */
const searchLimitMax = 100;

const searchBounds = {
  /**
   * Records that one search looks at, some 0.3 µs each, in slices of `inspectSliceMs`: more than a
   * full controller holds of everything that has a name of its own. @bound
   */
  inspectSearchRowsMax: 4_000_000,
};

/** Rows that are looked at between two looks at the clock. */
const rowsAStep = 128;
