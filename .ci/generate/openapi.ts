// docs/generated/openapi-*.json: the documents that the specs operations serve.

import { operations } from '../../src/assembly/operations.ts';
import { openApiOf } from '../../src/declare/openapi/openapi.ts';
import { apiNames } from '../../src/declare/operations/apis.ts';
import type { GeneratedPage } from './page.ts';

/** The documents of all APIs. */
export const openApiPages: readonly GeneratedPage[] = apiNames.map((api) => ({
  file: `docs/generated/openapi-${api}.json`,
  make: () => `${JSON.stringify(openApiOf(api, operations), null, 1)}\n`,
}));
