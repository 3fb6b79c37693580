// Bodies that make a record of a resource, from the example that it declares.

import type { Resource } from '../../../src/declare/resources/resource.ts';
import { resources } from '../../../src/resources/index.ts';
import type { Network } from '../../simulated/network.ts';

/**
 * The example, with a record made for each `id-of-a-service` in it. @throws RangeError when nothing
 * makes one.
 */
export async function exampleBody(
  network: Network,
  { example = {} }: Resource,
): Promise<Readonly<Record<string, unknown>>> {
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(example)) {
    const kind = /^id-of-an?-(\w+)$/.exec(String(value))?.[1];
    body[name] = kind === undefined ? value : await create(network, ofKind(kind), `its ${kind}`);
  }
  return body;
}

/** Makes one of a resource. @returns its id */
export async function create(network: Network, resource: Resource, name: string): Promise<string> {
  return network.create(resource.path, { ...(await exampleBody(network, resource)), name });
}

function ofKind(kind: string): Resource {
  const found = resources.find((one) => one.kind.kind === kind && one.example !== undefined);
  if (found === undefined) throw new RangeError(`no example makes a ${kind}`);
  return found;
}
