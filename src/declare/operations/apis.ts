// The two APIs: their names and where they are.

/** The two APIs (behaviour/requests#the-two-apis). */
export type ApiName = 'client' | 'management';

/**
 * The base path of each API, which links and version information name (behaviour/requests#paths).
 */
export const basePaths: Readonly<Record<ApiName, string>> = {
  client: '/edge/client/v1',
  management: '/edge/management/v1',
};
