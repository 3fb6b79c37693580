// Reports refused logins and lockouts to the log: the first of a source at once, its repetitions as
// a count, so that guessing cannot flood the log. Programs that follow events are told of each.

import type { EventSink } from '../observe/events.ts';
import type { LogFields } from '../observe/logs.ts';
import { addressBlock } from '../platform/address-block.ts';
import type { Clock, Timer } from '../platform/ports.ts';

/** A login that was refused. */
export interface RefusedLogin {
  /** `password`, `cert` or `ext-jwt`. */
  readonly method: string;
  readonly address: string;
  /** As the client sent it; undefined for methods without one. */
  readonly username: string | undefined;
}

/** How long repetitions are counted before they are reported. */
const windowMs = 60_000;

/** Sources of refused logins per minute with lines of their own; all others share one. @bound */
const refusalSourcesMax = 50;

/** Lockouts with lines of their own per minute; all others share one line. @bound */
const lockoutLinesMax = 50;

/** Characters of a user name in a line. @bound */
const usernameCharactersMax = 100;

interface Source {
  readonly fields: LogFields;
  repeated: number;
}

/** Writes a line at the level info. */
export type WriteLine = (fields: LogFields, message: string) => void;

/** The lines of one controller. */
export class RefusedLogins {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #write: WriteLine;
  readonly #events: EventSink;
  readonly #sources = new Map<string, Source>();
  #others = 0;
  #lockouts = 0;
  #window: Timer | undefined;

  constructor(clock: Pick<Clock, 'after'>, write: WriteLine, events: EventSink) {
    this.#clock = clock;
    this.#write = write;
    this.#events = events;
  }

  /** A login was refused. */
  refused({ method, address, username }: RefusedLogin): void {
    this.#open();
    // Without the user name, as people type passwords there.
    if (this.#events.wants('authentication')) {
      const fields = { event_type: 'fail', method, remote_address: address, success: false };
      this.#events.tell('authentication', fields);
    }
    const key = `${method} ${addressBlock(address)} ${username ?? ''}`;
    const source = this.#sources.get(key);
    if (source !== undefined) {
      source.repeated++;
      return;
    }
    if (this.#sources.size >= refusalSourcesMax) {
      this.#others++;
      return;
    }
    const fields = { method, address, ...named(username) };
    this.#sources.set(key, { fields, repeated: 0 });
    this.#write(fields, 'a login was refused');
  }

  /** An identity was locked out after wrong passwords from `address`, among others. */
  lockedOut(identityId: string, username: string, address: string): void {
    this.#open();
    this.#lockouts++;
    if (this.#lockouts > lockoutLinesMax) return;
    this.#write(
      { identityId, ...named(username), address },
      'an identity was locked out after wrong passwords',
    );
  }

  /** Reports what was counted, as after each minute. Called when the controller stops. */
  flush(): void {
    this.#window?.cancel();
    this.#window = undefined;
    for (const { fields, repeated: count } of this.#sources.values()) {
      if (count > 0) this.#write({ ...fields, count }, 'more of these logins were refused');
    }
    if (this.#others > 0) {
      this.#write({ count: this.#others }, 'logins from further sources were refused');
    }
    const lockouts = this.#lockouts - lockoutLinesMax;
    if (lockouts > 0) this.#write({ count: lockouts }, 'further identities were locked out');
    this.#sources.clear();
    this.#others = 0;
    this.#lockouts = 0;
  }

  #open(): void {
    this.#window ??= this.#clock.after(windowMs, () => this.flush());
  }
}

function named(username: string | undefined): { readonly username?: string } {
  return username === undefined ? {} : { username: username.slice(0, usernameCharactersMax) };
}
