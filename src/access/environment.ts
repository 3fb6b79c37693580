// What access adds to what operations may use of the controller.

import type { Access } from './access.ts';

/** The part of access. */
export interface AccessEnvironment {
  readonly access: Access;
}

declare module '../declare/environment.ts' {
  interface Environment extends AccessEnvironment {}
}
