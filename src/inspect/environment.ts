// What the inspector adds to what operations may use of the controller.

import type { AuditFeed } from './audit-feed.ts';
import type { LogReader } from './contract.ts';
import type { Inspection } from './inspection.ts';
import type { Tickets } from './tickets.ts';

/** The part of the inspector. */
export interface InspectEnvironment {
  /** Machines and their instances, as inspectors see them. */
  readonly inspection: Inspection;
  /** Reads the kept log, in a thread of its own. */
  readonly logReader: LogReader;
  /** Who reads the log along. */
  readonly audit: AuditFeed;
  /** What opens streams of inspectors. */
  readonly tickets: Tickets;
}

declare module '../declare/environment.ts' {
  interface Environment extends InspectEnvironment {}
}
