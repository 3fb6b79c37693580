// Records of every kind as lists, most of them instances of machines. The names in filters and
// orders are derived from the kinds.

import type { Kind } from '../../../declare/kinds/kind.ts';
import type { Resource } from '../../../declare/resources/resource.ts';
import type { SymbolSource } from '../../../declare/symbols/symbol-sources.ts';
import { isSecretSymbol } from '../../../declare/symbols/symbols.ts';
import type { RecordBase } from '../../../store/record.ts';
import { defineResource, type InspectEnvironment } from '../context.ts';

/** The fields of every instance, durable or live, in the order of `filterableFields`. */
export const instanceSymbols: readonly string[] = ['id', 'name', 'state', 'createdAt', 'updatedAt'];

type Source<R> = SymbolSource<R, InspectEnvironment>;

/** The list of each kind: all its records, whichever resource they belong to. */
export function instanceResources(
  kinds: readonly Kind[],
  resources: readonly Resource[],
): ReadonlyMap<string, Resource> {
  const lists = kinds.map((kind) =>
    instanceResource(kind, resources.filter((one) => one.kind === kind)[0]),
  );
  return new Map(lists.map((list) => [list.kind.kind, list]));
}

function instanceResource(kind: Kind, resource: Resource | undefined): Resource {
  const { symbols = referencesOf(kind), symbolSources = {}, linkedSets } = resource ?? {};
  // These scopes do not know which fields are secret, so no secret field may be published.
  const own = symbols.filter((name) => resource === undefined || !isSecretSymbol(resource, name));
  const face = defineResource({
    kind,
    path: `inspect/machines/${kind.kind}/instances`,
    answered: 'leader',
    title: kind.kind,
    names: { one: `${kind.kind}Instance`, many: `${kind.kind}Instances` },
    verbs: {},
    symbolSources: { ...symbolSources, ...nameOf(kind), ...stateSource(kind) },
    ...(linkedSets === undefined ? {} : { linkedSets }),
  });
  const common = instanceSymbols.filter((name) => name !== 'state' || kind.machine !== undefined);
  return { ...face, symbols: [...new Set([...common, 'tags', 'isSystem', ...own])] };
}

/** Without a resource, records can be found by the records that they refer to. */
function referencesOf({ relations }: Kind): readonly string[] {
  return [...new Set(relations.map(({ field }) => field.replace(/Id$/, '')))];
}

/** If records are identified by another record, its name is theirs. */
function nameOf({ kind, calledBy }: Kind): Readonly<Record<string, Source<RecordBase>>> {
  if (calledBy === undefined) return {};
  return {
    name: { type: 'string', read: (record, { inspection }) => inspection.names.of(kind, record) },
  };
}

/** Records of a kind without a machine have no state. */
function stateSource({ kind, machine }: Kind): Readonly<Record<string, Source<RecordBase>>> {
  return machine === undefined ? {} : { state: stateOf(kind) as Source<RecordBase> };
}

function stateOf(kind: string): Source<RecordBase & { readonly state: string }> {
  return {
    type: 'string',
    read: ({ state }) => state,
    isOwn: true,
    index: {
      name: 'state',
      count: (state, { inspection }) => inspection.states.count(kind, String(state)),
      has: (row, state, { inspection }) => inspection.states.has(kind, row, String(state)),
      *things(state, { inspection, store }) {
        const table = store.tableNamed(kind);
        store.fence.note(table.lastLsn);
        for (const slot of inspection.states.slots(kind, String(state))) {
          const row = table.at(slot);
          if (row !== undefined) yield row;
        }
      },
    },
  };
}
