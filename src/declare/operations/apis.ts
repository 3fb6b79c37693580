// The three APIs: their names and where they are.

/** All APIs. */
export const apiNames = ['client', 'management', 'fabric'] as const;

/** The APIs (behaviour/requests#the-three-apis). */
export type ApiName = (typeof apiNames)[number];

/**
 * The base path of each API, which links and version information name (behaviour/requests#paths).
 */
export const basePaths: Readonly<Record<ApiName, string>> = {
  client: '/edge/client/v1',
  management: '/edge/management/v1',
  fabric: '/fabric/v1',
};

/** Where the OIDC provider is (behaviour/oidc). */
export const oidcPath = '/oidc';

/** A value for each API. */
export function perApi<T>(make: (api: ApiName) => T): Readonly<Record<ApiName, T>> {
  return { client: make('client'), management: make('management'), fabric: make('fabric') };
}
