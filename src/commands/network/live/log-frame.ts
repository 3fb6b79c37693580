// A frame of the log as the audit feed and the command `log` tell it.

/** What a frame did to one record. */
export interface FrameChange {
  readonly kind: string;
  readonly id: string;
  readonly change: 'created' | 'updated' | 'deleted';
  /** The fields that differ: `before` and `after`, with secrets masked. */
  readonly fields: Readonly<Record<string, FieldChange>>;
}

/** A value that was replaced; a side that is absent is not known, or there was none. */
export interface FieldChange {
  readonly before?: unknown;
  readonly after?: unknown;
}

/** A frame. A clean stop and the start of a leadership have neither actor nor changes. */
export interface LogFrame {
  readonly lsn: number;
  /** RFC 3339, in UTC. */
  readonly time: string;
  readonly actor?: { readonly id: string; readonly name?: string };
  readonly operation: string;
  /** Of the leadership that starts. */
  readonly term?: number;
  readonly changes?: readonly FrameChange[];
}

/** The frame in a line of the log. */
export function frameIn(line: string): LogFrame {
  return JSON.parse(line) as LogFrame;
}
