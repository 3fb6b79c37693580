// The part of the environment that links add for operations.

import type { LinkPaths } from './paths.ts';

/** The part of links. */
export interface LinksEnvironment {
  /** The links that work, and the paths over them. */
  readonly paths: LinkPaths;
}

declare module '../../declare/environment.ts' {
  interface Environment extends LinksEnvironment {}
}
