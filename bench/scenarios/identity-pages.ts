// Pages of 100 identities, with the queries that consoles and the command line send.

import type { Network } from '../network.ts';
import { get } from '../requests.ts';
import type { Scenario } from '../scenario.ts';

const rows = 100;

/** A page by query parameters that may depend on the network. */
const page = (
  name: string,
  title: string,
  query: (network: Network) => Readonly<Record<string, string>>,
): Scenario => ({
  name: `identities-page-${name}`,
  title: `identities, page of 100 ${title}`,
  listener: 'front',
  writes: false,
  smoke: true,
  load: ({ network }) => {
    const asked = new URLSearchParams({ limit: String(rows), ...query(network) });
    return {
      request: get(`/edge/management/v1/identities?${asked}`, network.adminToken),
      expect: { status: 200, rows },
    };
  },
});

/** The pages. Each scenario requests the same page repeatedly, like a table that refreshes. */
export const identityPages: readonly Scenario[] = [
  page('id', 'in default order', () => ({})),
  page('name', 'by name', () => ({ sort: 'name' })),
  page('contains', 'where the name contains a text', () => ({ filter: 'name contains "er-00"' })),
  page('attribute', 'with a role attribute', ({ marks }) => ({
    filter: `anyOf(roleAttributes) = "${marks.name('bench')}"`,
  })),
  page('ids', 'of 100 ids', ({ identityIds }) => ({
    filter: `id in [${identityIds
      .slice(0, rows)
      .map((id) => `"${id}"`)
      .join(',')}]`,
  })),
];
