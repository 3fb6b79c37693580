// The part of the controller that the inspector provides.

import type { Inspection } from './instances/inspection.ts';
import type { AuditFeed } from './log/audit-feed.ts';
import type { LogReader } from './log/log-reader.ts';
import type { Tickets } from './stream/tickets.ts';

/** The part of the inspector. */
export interface InspectPart {
  /** Machines and their instances, as inspectors see them. */
  readonly inspection: Inspection;
  /** Reads the kept log in its own thread. */
  readonly logReader: LogReader;
  /** Feeds readers that follow the log. */
  readonly audit: AuditFeed;
  /** Opens streams of inspectors. */
  readonly tickets: Tickets;
}
