// The version of this controller, as routers are told it.

import type { VersionInfo } from '../channel/headers.ts';
import { buildDate, version } from '../platform/version.ts';

/** The five parts, with the names of platforms that the protocol has. */
export const ownVersion: VersionInfo = {
  version: `v${version}`,
  revision: `v${version}`,
  buildDate,
  os: process.platform,
  arch: process.arch === 'x64' ? 'amd64' : process.arch,
};
