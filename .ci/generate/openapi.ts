// docs/generated/openapi-*.json: the documents that the specs operations serve.

import { operations } from '../../src/assembly/operations.ts';
import { openApiOf } from '../../src/declare/openapi/openapi.ts';
import type { ApiName } from '../../src/declare/operations/apis.ts';
import type { GeneratedPage } from './page.ts';

/** The documents of both APIs. */
export const openApiPages: readonly GeneratedPage[] = (['client', 'management'] as ApiName[]).map(
  (api) => ({
    file: `docs/generated/openapi-${api}.json`,
    make: () => `${JSON.stringify(openApiOf(api, operations), null, 1)}\n`,
  }),
);
