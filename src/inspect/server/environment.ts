// The part of the environment that the inspector adds for operations.

import type { AuditFeed } from './audit-feed.ts';
import type { Inspection } from './inspection.ts';
import type { LogReader } from './log-reader.ts';
import type { Tickets } from './tickets.ts';

/** The part of the inspector. */
export interface InspectEnvironment {
  /** Machines and their instances, as inspectors see them. */
  readonly inspection: Inspection;
  /** Reads the kept log in its own thread. */
  readonly logReader: LogReader;
  /** Feeds readers that follow the log. */
  readonly audit: AuditFeed;
  /** Opens streams of inspectors. */
  readonly tickets: Tickets;
}

declare module '../../declare/environment.ts' {
  interface Environment extends InspectEnvironment {}
}
