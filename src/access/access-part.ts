// The part of the environment that access adds for operations.

import type { Access } from './access.ts';

/** The part of access. */
export interface AccessPart {
  readonly access: Access;
}

declare module '../declare/operations/environment.ts' {
  interface Environment extends AccessPart {}
}
