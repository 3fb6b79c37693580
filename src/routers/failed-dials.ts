// The dials that failed lately, by service, for whoever looks for the reason
// (behaviour/fabric#failed-dials). They are kept in memory, because they are only needed for a few
// days.

import type { CircuitRight } from '../../machines/circuit.ts';
import { RecentByKey } from '../containers/recent-by-key.ts';
import { withoutSecrets } from '../errors/masked-text.ts';
import type { Clock } from '../platform/ports.ts';
import type { CircuitRecord } from '../records/circuit.ts';
import { serviceKind } from '../records/service.ts';
import { type BoundValues, boundsOf } from '../settings/bounds.ts';
import type { Store } from '../store/store.ts';
import {
  type ConnectedRouter,
  type DialFailureCause,
  type RouterRefusal,
  retryHints,
  routerErrors,
} from './router-feature.ts';

/** What a dial wanted. */
export interface WantedDial {
  /** The router that asked. */
  readonly router: Pick<ConnectedRouter, 'id'>;
  readonly right: Pick<CircuitRight, 'identityId' | 'serviceId'>;
  readonly instanceId: string;
}

/** A dial that failed. */
export interface FailedDial {
  /** Wall-clock ms. */
  readonly at: number;
  readonly serviceId: string;
  /** The identity that dialed. */
  readonly identityId: string;
  /** The router through which it dialed. */
  readonly routerId: string;
  /** The wanted instance; empty in most dials. */
  readonly instanceId: string;
  /** Undefined when the dial was refused before a path was chosen. */
  readonly circuitId: string | undefined;
  /** The terminator that was chosen last. */
  readonly terminatorId: string | undefined;
  readonly cause: DialFailureCause;
  /** The cause in words, without secrets. */
  readonly text: string;
}

/** Told of each dial that failed, with its circuit if its routers were told of one. */
export type FailureListener = (dial: FailedDial, circuit: CircuitRecord | undefined) => void;

/** Bounds of failed dials, which are in memory only. */
export const failedDialBounds = {
  /** Failed dials remembered per service (behaviour/fabric). @bound per entity */
  failedDialsPerServiceMax: 20,
  /** Characters of all failed dials, each counted with 400 for its ids. @bound per controller */
  failedDialsCharactersMax: 8 * 1024 * 1024,
  /** Characters of the text of one; the texts of routers may be longer. @bound per entity */
  failedDialTextCharactersMax: 500,
};

/** The sources of failed dials. */
export interface FailedDialsOptions {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly bounds?: BoundValues | undefined;
}

/**
 * The latest failed dials of each service. They are lost when the process ends, when another node
 * takes over, or when the service is deleted.
 */
export class FailedDials {
  readonly #options: FailedDialsOptions;
  readonly #recent: RecentByKey<FailedDial>;
  readonly #textMax: number;
  readonly #listeners: FailureListener[] = [];

  constructor(options: FailedDialsOptions) {
    const bounds = boundsOf(failedDialBounds, options.bounds);
    const charactersMax = bounds.failedDialsCharactersMax;
    this.#options = options;
    this.#textMax = bounds.failedDialTextCharactersMax;
    this.#recent = new RecentByKey(
      {
        valuesMax: bounds.failedDialsPerServiceMax,
        keyWeightMax: charactersMax,
        weightMax: charactersMax,
      },
      ({ text }) => text.length + idsCharacters,
    );
    options.store.follow(({ changes }) => {
      for (const { table, row, after } of changes) {
        if (table.kind === serviceKind.kind && after === undefined) this.#recent.forget(row.id);
      }
    });
  }

  /** Calls `listener` with each dial that fails from now on. It must not throw. */
  onFailure(listener: FailureListener): void {
    this.#listeners.push(listener);
  }

  /** Notes that a dial was refused; the only place where a failure begins to be known. */
  note(wanted: WantedDial, refusal: RouterRefusal, circuit?: CircuitRecord): void {
    const { store, clock } = this.#options;
    const { serviceId, identityId } = wanted.right;
    const dial: FailedDial = {
      at: clock.now(),
      serviceId,
      identityId,
      routerId: wanted.router.id,
      instanceId: wanted.instanceId.slice(0, instanceCharactersMax),
      circuitId: circuit?.id,
      terminatorId: circuit?.terminatorId,
      cause: causeOf(refusal),
      text: withoutSecrets(refusal.text).slice(0, this.#textMax),
    };
    if (store.table(serviceKind).peek(serviceId) !== undefined) this.#recent.add(serviceId, dial);
    for (const listener of this.#listeners) listener(dial, circuit);
  }

  /** The failed dials of a service, the oldest first. */
  of(serviceId: string): readonly FailedDial[] {
    return this.#recent.of(serviceId);
  }
}

/** Characters of an instance id that are remembered. @bound per entity */
const instanceCharactersMax = 200;

/** What the ids and times of a failed dial are counted as. */
const idsCharacters = 400;

function causeOf({ cause, code, retryHint }: RouterRefusal): DialFailureCause {
  if (cause !== undefined) return cause;
  return retryHint === retryHints.tooBusy ? 'TOO_BUSY' : (causesByCode.get(code) ?? 'INTERNAL');
}

const causesByCode: ReadonlyMap<RouterRefusal['code'], DialFailureCause> = new Map([
  [routerErrors.wrongSessionType, 'WRONG_SESSION_TYPE'],
  [routerErrors.routerNotUsable, 'ROUTER_NOT_USABLE'],
  [routerErrors.invalidService, 'INVALID_SERVICE'],
  [routerErrors.tunnelingNotEnabled, 'TUNNELING_NOT_ENABLED'],
  [routerErrors.encryptionDataMissing, 'ENCRYPTION_KEY_MISSING'],
  [routerErrors.accessDenied, 'ACCESS_DENIED'],
  [routerErrors.postureFailed, 'POSTURE_FAILED'],
]);
