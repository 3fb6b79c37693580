// Why an entity of the peer becomes no record.

import type { LeaveOut } from '../report.ts';

/** An entity is left out. */
export class LeftOut {
  /** A sentence that says why. */
  readonly reason: string;
  /** What the operator has to agree to; absent if the report alone suffices. */
  readonly stop: LeaveOut | undefined;

  constructor(reason: string, stop?: LeaveOut) {
    this.reason = reason;
    this.stop = stop;
  }
}
