// Maintains the certificate that the API is served with: renews or reloads it, and passes it to all
// parts that show it or sign with its key.

import type { Log } from '../../observe/logs.ts';
import type { Clock, Timer } from '../../platform/ports.ts';
import { type ApiKey, createApiKey } from '../tokens/signer.ts';
import { fingerprint } from '../x509/pem.ts';
import type { Authority } from './authority.ts';
import type { ChainedKey } from './server-certificate.ts';

/**
 * How often the certificate is checked: daily, so thirty times in the thirty days before its
 * expiry.
 */
const checkIntervalMs = 24 * 3600 * 1000;

/** Shows the certificate to clients; if it throws or rejects, the old one stays in use. */
export type ServerFollower = (server: ChainedKey) => Promise<void> | void;

/** The pair in use. One per controller. */
export class Serving {
  readonly #authority: Pick<Authority, 'reopenServer' | 'noticesFor'>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #followers: ServerFollower[] = [];
  readonly #afterChange: (() => void)[] = [];
  #server: ChainedKey;
  #apiKey: ApiKey;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;

  constructor(
    authority: Pick<Authority, 'server' | 'reopenServer' | 'noticesFor'>,
    clock: Clock,
    log: Log,
  ) {
    this.#authority = authority;
    this.#clock = clock;
    this.#log = log;
    this.#server = authority.server;
    this.#apiKey = createApiKey(authority.server);
  }

  /** The pair that new connections are shown. */
  get server(): ChainedKey {
    return this.#server;
  }

  /** The key of the pair; a different object after each change. */
  get apiKey(): ApiKey {
    return this.#apiKey;
  }

  /** Calls `follower` with each change before it takes effect. */
  follow(follower: ServerFollower): void {
    this.#followers.push(follower);
  }

  /** Calls `listener` after each change. It must not throw. */
  afterChange(listener: () => void): void {
    this.#afterChange.push(listener);
  }

  /** Starts the daily check. */
  start(): void {
    this.#timer = this.#clock.after(checkIntervalMs, () => {
      this.start();
      void this.check();
    });
  }

  /** Ends the checks. Resolves when no change is in progress any more. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#running;
  }

  /**
   * Checks now, for an operator who replaced the certificate and does not want to wait. Resolves
   * when that is done; a failure is logged, the old certificate stays in use and the next check
   * tries again.
   */
  check(): Promise<void> {
    this.#running ??= this.#renewIfDue().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #renewIfDue(): Promise<void> {
    try {
      const next = await this.#authority.reopenServer();
      if (isOther(next, this.#server)) await this.#change(next);
    } catch (err) {
      this.#log.error({ err }, 'the server certificate could not be renewed');
    }
    for (const notice of this.#authority.noticesFor(this.#server)) this.#log.warn(notice);
  }

  async #change(next: ChainedKey): Promise<void> {
    const apiKey = createApiKey(next);
    for (const follower of this.#followers) await follower(next);
    const hasOtherKey = !next.certificate.publicKey.equals(this.#server.certificate.publicKey);
    this.#server = next;
    this.#apiKey = apiKey;
    for (const listener of this.#afterChange) listener();
    const { validToDate } = next.certificate;
    const shown = {
      fingerprint: fingerprint(next.certificate),
      validTo: validToDate.toISOString(),
    };
    this.#log.info(shown, 'the server certificate was replaced');
    if (hasOtherKey) {
      // Clients check them against the key of the connection (behaviour/enrollment#jwt).
      this.#log.warn(
        'the key of the server certificate has changed: refresh the outstanding enrollments',
      );
    }
  }
}

/** The chain counts as well: an intermediate may have been replaced under the same leaf. */
function isOther(left: ChainedKey, right: ChainedKey): boolean {
  const text = ({ certificate, chain }: ChainedKey) =>
    [certificate, ...chain].map(({ fingerprint256 }) => fingerprint256).join();
  return text(left) !== text(right);
}
