// The configs that a viewer of a service sees: of the requested types, with its own overrides.

import { configKind } from '../../records/config.ts';
import { configTypeKind } from '../../records/config-type.ts';
import type { ServiceConfig } from '../../records/identity.ts';
import type { Context } from '../context.ts';
import { allConfigTypes } from './config-type.ts';

/**
 * The `config` field of a service for the viewer as JSON text: config type name → data
 * (behaviour/services#config).
 */
export function servicesConfig(
  context: Context,
  service: { readonly id: string; readonly configs: readonly string[] | undefined },
): string {
  const wanted = wantedTypes(context);
  if (wanted.length === 0) return '{}';
  const { store } = context.env;
  const found: Record<string, unknown> = {};
  const { serviceConfigs } = context.viewer;
  const own = overridesOf(serviceConfigs).get(service.id) ?? [];
  for (const id of [...(service.configs ?? []), ...own]) {
    const config = store.table(configKind).find(id)?.record;
    if (config === undefined || !isWanted(wanted, config.configTypeId)) continue;
    const type = store.table(configTypeKind).find(config.configTypeId)?.record;
    if (type !== undefined) found[type.name] = config.data;
  }
  return JSON.stringify(found);
}

/** Overriding configs by service, computed once per list of overrides. */
const overrides = new WeakMap<readonly ServiceConfig[], ReadonlyMap<string, readonly string[]>>();

/** A page shows many services, and an identity may override thousands. */
function overridesOf(pairs: readonly ServiceConfig[]): ReadonlyMap<string, readonly string[]> {
  const known = overrides.get(pairs);
  if (known !== undefined) return known;
  const byService = new Map<string, string[]>();
  for (const { serviceId, configId } of pairs) {
    const ids = byService.get(serviceId);
    if (ids === undefined) byService.set(serviceId, [configId]);
    else ids.push(configId);
  }
  overrides.set(pairs, byService);
  return byService;
}

/**
 * Names or ids of config types as ids; unknown ones are dropped, `all` replaces the others
 * (behaviour/login#config-types).
 */
export function configTypeIds(context: Pick<Context, 'env'>, given: readonly string[]): string[] {
  if (given.includes(allConfigTypes)) return [allConfigTypes];
  const table = context.env.store.table(configTypeKind);
  const ids = given.flatMap((text) => {
    const row = table.findBy('name', text) ?? table.find(text);
    return row === undefined ? [] : [row.record.id];
  });
  return [...new Set(ids)];
}

/** Whether the caller requests any configs in its services. */
export function wantsConfigs(context: Context): boolean {
  return wantedTypes(context).length > 0;
}

/**
 * The query's types if it names some, else those that the API session was created with
 * (behaviour/services#wanted-types). The parameter may be repeated, and each value may list
 * several.
 */
function wantedTypes(context: Context): readonly string[] {
  if (context.request.query !== '') {
    const asked = context.query.getAll('configTypes').flatMap((text) => text.split(','));
    if (asked.length > 0) return configTypeIds(context, asked);
  }
  return context.caller.session.record.configTypes;
}

function isWanted(wanted: readonly string[], typeId: string): boolean {
  return wanted[0] === allConfigTypes || wanted.includes(typeId);
}
