// Notices when certificates that were issued for API sessions expire: no record changes then, but
// routers know the fingerprints (behaviour/control-channel#api-session-sync).

import {
  type SessionCertificateRecord,
  sessionCertificateKind,
} from '../../records/session-certificate.ts';
import type { Row } from '../../store/record.ts';
import { inSlices } from '../../turns/slices.ts';
import type { RoutersContext } from '../context.ts';

/** What expiries work with. */
export interface CertificateExpiriesOptions {
  readonly context: Pick<RoutersContext, 'env' | 'log'>;
  /** Whether nothing needs to be noticed any more. */
  readonly isOver: () => boolean;
  /** Called up to two minutes after a certificate has expired, if its record still exists. */
  readonly expired: (certificate: SessionCertificateRecord) => void;
}

const minuteMs = 60_000;

/** How long a slice of work takes. */
const sliceMs = 2;

/** Certificates between two looks at the clock: 0.1 ms. */
const certificatesAStep = 256;

/**
 * Certificates by the minute of their end, looked at once a minute. Thus a jump of the wall clock
 * needs no care.
 */
export class CertificateExpiries {
  readonly #options: CertificateExpiriesOptions;
  /** Ids by the number of the minute. */
  readonly #byMinute = new Map<number, Set<string>>();

  constructor(options: CertificateExpiriesOptions) {
    this.#options = options;
  }

  /** Reads the certificates that exist, and notices expiries from now on. */
  start(): void {
    this.#run(this.#gather());
    this.#arm();
  }

  /** A certificate was issued. */
  note({ id, record: { isIssued, validTo } }: Row<SessionCertificateRecord>): void {
    if (!isIssued || validTo === undefined) return;
    const minute = Math.floor(validTo / minuteMs);
    const others = this.#byMinute.get(minute);
    if (others === undefined) this.#byMinute.set(minute, new Set([id]));
    else others.add(id);
  }

  #arm(): void {
    const { context, isOver } = this.#options;
    context.env.clock.after(minuteMs, () => {
      if (isOver()) return;
      this.#arm();
      this.#run(this.#tell());
    });
  }

  #run(steps: Generator<undefined, void>): void {
    const { env, log } = this.#options.context;
    void inSlices(steps, env.clock, sliceMs).catch((err) =>
      log.error({ err }, 'routers were not told of certificates that have expired'),
    );
  }

  *#gather(): Generator<undefined, void> {
    const { context, isOver } = this.#options;
    const table = context.env.store.table(sessionCertificateKind);
    const now = context.env.clock.now();
    for (let slot = 0; slot < table.slots && !isOver(); slot++) {
      const row = table.inSlot(slot);
      if (row !== undefined && (row.record.validTo ?? 0) >= now) this.note(row);
      if (slot % certificatesAStep === 0) yield;
    }
  }

  *#tell(): Generator<undefined, void> {
    const { context, isOver, expired } = this.#options;
    const table = context.env.store.table(sessionCertificateKind);
    const present = Math.floor(context.env.clock.now() / minuteMs);
    let count = 0;
    for (const [minute, ids] of this.#byMinute) {
      if (minute >= present) continue;
      this.#byMinute.delete(minute);
      for (const id of ids) {
        if (isOver()) return;
        const row = table.peek(id);
        if (row !== undefined) expired(row.record);
        count += 1;
        if (count % certificatesAStep === 0) yield;
      }
    }
  }
}
