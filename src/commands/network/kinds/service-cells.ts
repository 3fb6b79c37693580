// What a table of services shows besides the services: under which address each one is dialled,
// and how many terminators host it.

import { isObject } from '../../declarative/entry.ts';
import { type Asking, rowsOf } from '../connection/asking.ts';
import type { KindRow } from './kind.ts';
import { kindNamed } from './kinds.ts';
import type { Entity } from './names.ts';

/** Ids that one filter names; a longer one would be a long request. @bound per request */
const idsMax = 100;

/** Addresses and numbers of hosts by the id of the service. */
export interface ServiceCells {
  readonly addresses: ReadonlyMap<string, string>;
  readonly hosts: ReadonlyMap<string, number>;
}

/** Asks for the configs and terminators of the services of a page. */
export async function serviceCells(
  asking: Asking,
  services: readonly Entity[],
): Promise<ServiceCells> {
  const configIds = new Set(services.flatMap((service) => configsOf(service)));
  const texts = new Map<string, string>();
  for (const config of await allWith(asking, kindNamed('config'), 'id', [...configIds])) {
    const text = addressText(config);
    if (text !== undefined) texts.set(config.id, text);
  }
  const addresses = new Map<string, string>();
  for (const service of services) {
    const found = configsOf(service).flatMap((id) => texts.get(id) ?? []);
    addresses.set(service.id, found.join(', '));
  }
  const hosts = new Map<string, number>();
  const ids = services.map(({ id }) => id);
  for (const terminator of await allWith(asking, kindNamed('terminator'), 'service', ids)) {
    const id = String(terminator['serviceId']);
    hosts.set(id, (hosts.get(id) ?? 0) + 1);
  }
  return { addresses, hosts };
}

function configsOf({ configs }: Entity): string[] {
  return Array.isArray(configs) ? configs.map(String) : [];
}

/** The entities whose symbol is one of some ids. */
export async function allWith(
  asking: Pick<Asking, 'page'>,
  kind: KindRow,
  symbol: string,
  ids: readonly string[],
): Promise<Entity[]> {
  const found: Entity[] = [];
  for (let at = 0; at < ids.length; at += idsMax) {
    const list = ids.slice(at, at + idsMax).map((id) => JSON.stringify(id));
    const filter = `${symbol} in [${list.join(', ')}]`;
    for await (const row of rowsOf(asking, kind, filter)) found.push(row);
  }
  return found;
}

/** `tcp printer.hall:9100` for a config of the type `intercept.v1`; undefined for others. */
function addressText({ configType, data }: Entity): string | undefined {
  const type = isObject(configType) ? configType['name'] : undefined;
  if (type !== 'intercept.v1' || !isObject(data)) return undefined;
  const { protocols, addresses, portRanges } = data;
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const ports = list(portRanges).map((range) => {
    const { low, high } = (range ?? {}) as { readonly low?: unknown; readonly high?: unknown };
    return low === high ? String(low) : `${String(low)}-${String(high)}`;
  });
  const hosts = list(addresses).map(String).join(',');
  return `${list(protocols).map(String).join('/')} ${hosts}:${ports.join(',')}`;
}
