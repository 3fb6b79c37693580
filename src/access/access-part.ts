// The part of the controller that access provides.

import type { Access } from './access.ts';

/** The part of access. */
export interface AccessPart {
  readonly access: Access;
}
