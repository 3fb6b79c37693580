// The names in filters of a resource: derived from its fields, its relations and its own
// declarations (behaviour/filters).

import { isSecretName } from '../../errors/errors.ts';
import type { Budget, LinkedSet, Scope } from '../../filter/scope.ts';
import type { RecordBase, Row } from '../../store/record.ts';
import { DeclarationFault } from '../kinds/cascades.ts';
import { fieldReader } from '../kinds/compiled.ts';
import type { Kind, KindRelation } from '../kinds/kind.ts';
import { isSecretField } from '../kinds/masking.ts';
import {
  baseSymbol,
  fieldSymbol,
  foreignKey,
  mapSymbol,
  type ResourceSymbol,
} from './field-symbols.ts';
import { type LinkedRows, linkedSetsOf } from './linked-sets.ts';
import { throughLink, throughSet } from './symbol-paths.ts';
import type { Lookups, SymbolOwner, SymbolSource } from './symbol-sources.ts';

/** Symbols that every resource has. */
export const baseSymbols: readonly string[] = ['id', 'createdAt', 'updatedAt', 'tags', 'isSystem'];

/**
 * Whether a symbol reads a value that must never be shown: a caller who can filter by secrets can
 * find out the secrets.
 */
export function isSecretSymbol({ kind, symbolSources }: SymbolOwner, name: string): boolean {
  const source = symbolSources?.[name];
  const [field = ''] = (typeof source === 'string' ? source : name).split('.');
  return isSecretField(kind, field) || isSecretField(kind, name);
}

/** The sources of a scope. */
export interface ScopeOptions {
  readonly resource: SymbolOwner;
  readonly kinds: readonly Kind[];
  readonly resources: readonly SymbolOwner[];
  /** The scope of the first resource of a kind. */
  scopeOf(kind: string): ResourceScope | undefined;
  /** Secrets have no names in it. */
  readonly isMasked?: boolean;
}

/** The names of one resource. */
export class ResourceScope implements Scope<Row, Lookups> {
  readonly #kind: Kind;
  readonly #resource: SymbolOwner;
  readonly #scopeOf: ScopeOptions['scopeOf'];
  readonly #isMasked: boolean;
  readonly #linked: ReadonlyMap<string, LinkedRows>;
  readonly #symbols = new Map<string, ResourceSymbol>();
  /** Fields whose keys may follow after a dot. */
  readonly #maps = new Map<string, (row: Row) => unknown>();
  /** References to one other record, by each of their names. */
  readonly #references = new Map<string, KindRelation>();

  constructor({ resource, kinds, resources, scopeOf, isMasked = false }: ScopeOptions) {
    this.#kind = resource.kind;
    this.#resource = resource;
    this.#scopeOf = scopeOf;
    this.#isMasked = isMasked;
    this.#linked = linkedSetsOf(resource, kinds, resources);
    for (const name of resource.symbols) {
      if (name === 'tags') this.#maps.set(name, ({ record }) => record.tags);
      else if (!isMasked || !isSecretSymbol(resource, name)) this.#declare(name);
    }
  }

  /**
   * Checks that all declared symbols have a meaning, once the scopes of all resources exist.
   * @throws DeclarationFault for the first symbol that does not.
   */
  check(): void {
    for (const name of this.#resource.symbols) {
      if (this.symbol(name) !== undefined || this.#maps.has(name)) continue;
      throw new DeclarationFault(`${this.#resource.path}: nothing says what ${name} means`);
    }
  }

  /** The symbols of the resource itself, without references and linked sets. */
  ownSymbol(name: string): ResourceSymbol | undefined {
    const declared = this.#symbols.get(name);
    if (declared !== undefined) return declared;
    const dot = name.indexOf('.');
    const map = dot < 0 ? undefined : this.#maps.get(name.slice(0, dot));
    if (this.#isMasked && name.split('.').some(isSecretName)) return undefined;
    return map && mapSymbol(map, name.slice(dot + 1));
  }

  symbol(name: string): ResourceSymbol | undefined {
    const own = this.ownSymbol(name);
    if (own !== undefined) return own;
    const dot = name.indexOf('.');
    return dot < 0 ? this.#idsBehind(name) : this.#behind(name.slice(0, dot), name.slice(dot + 1));
  }

  linked(name: string): LinkedSet<Row, Row, Lookups> | undefined {
    const rows = this.#linked.get(name);
    const scope = rows && this.#scopeOf(rows.kind);
    if (rows === undefined || scope === undefined) return undefined;
    return {
      scope,
      things: (row, env, budget) => rows.things(row, env, budget),
      count: (row, env, budget, enough) => rows.count?.(row, env, budget, enough),
    };
  }

  #declare(name: string): void {
    const source = this.#resource.symbolSources?.[name] ?? this.#fieldOf(name);
    if (typeof source === 'object') {
      this.#symbols.set(name, readSymbol(source));
      return;
    }
    const symbol = baseSymbol(this.#kind, source) ?? fieldSymbol(this.#kind, source);
    if (symbol !== undefined) this.#symbols.set(name, symbol);
    const relation = foreignKey(this.#kind, source);
    if (relation !== undefined) {
      this.#references.set(name, relation);
      this.#references.set(name.replace(/Id$/, ''), relation);
    }
    if (this.#kind.fields[source]?.symbol === 'map') this.#maps.set(name, fieldReader(source));
  }

  /** `identity` stands for the field `identityId` if no field has that name. */
  #fieldOf(name: string): string {
    return name in this.#kind.fields || !(`${name}Id` in this.#kind.fields) ? name : `${name}Id`;
  }

  #behind(head: string, rest: string): ResourceSymbol | undefined {
    const relation = this.#references.get(head);
    if (relation !== undefined) {
      // The id of a referenced record is the reference itself.
      if (rest === 'id') return fieldSymbol(this.#kind, relation.field);
      const symbol = this.#scopeOf(relation.relation.kind)?.symbol(rest);
      return symbol && throughLink(this.#kind, relation, symbol);
    }
    const rows = this.#linked.get(head);
    const symbol = rows && this.#scopeOf(rows.kind)?.symbol(rest);
    return rows && symbol && throughSet(rows, symbol);
  }

  /** A linked set without `from`: the ids of its rows. */
  #idsBehind(name: string): ResourceSymbol | undefined {
    const rows = this.#linked.get(name);
    if (rows === undefined || this.#scopeOf(rows.kind) === undefined) return undefined;
    return {
      form: 'set',
      type: 'string',
      isOwn: false,
      *read(row, env, budget) {
        for (const { record } of rows.things(row, env, budget)) yield record.id;
      },
      count: (row, env, budget, enough) => rows.count?.(row, env, budget, enough),
      ...(rows.index === undefined ? {} : { index: rows.index }),
    };
  }
}

/**
 * The cost of reading a symbol source, in steps of a budget: it may find another record, or build a
 * text.
 */
const sourceSteps = 2;
const charactersAStep = 64;

function readSymbol(source: Exclude<SymbolSource<RecordBase>, string>): ResourceSymbol {
  const { type } = source;
  if ('read' in source) {
    const { read, steps = sourceSteps } = source;
    const scalar = ({ record }: Row, env: Lookups, budget: Budget) => {
      budget.spend(steps);
      const value = read(record, env);
      if (typeof value === 'string') budget.spend(Math.floor(value.length / charactersAStep));
      return value;
    };
    const found = source.index === undefined ? {} : { index: source.index };
    return { form: 'scalar', type, isOwn: source.isOwn ?? false, read: scalar, ...found };
  }
  const { readAll } = source;
  const values = ({ record }: Row, env: Lookups) => readAll(record, env);
  return { form: 'set', type, isOwn: false, read: values };
}
