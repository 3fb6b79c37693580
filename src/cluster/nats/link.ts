// One connection to a NATS server, which is made again when it is needed after an end.

import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import {
  type Authenticator,
  AuthorizationError,
  connect,
  credsAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import type { Clock } from '../../platform/ports.ts';
import { StreamMisconfigured, StreamUnreachable } from '../stream.ts';
import { isTimeout, reasonOf, unreachable } from './failure.ts';
import { pause } from './pause.ts';
import { repeated } from './repeated.ts';

/** How a node proves itself to NATS. */
export type NatsCredentials =
  /**
   * A file with a JWT and its seed, or with one line `USER:PASSWORD`. It is read for each
   * connection, since its content may be replaced.
   */
  | { readonly kind: 'file'; readonly read: () => Uint8Array }
  | { readonly kind: 'password'; readonly user: string; readonly password: string };

/** What TLS takes, in PEM. */
export interface NatsTls {
  /** CAs of the servers; those that Node trusts when absent. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Where NATS is, and how to get in. */
export interface NatsAccess {
  /** `host:port` of each server that may be tried. */
  readonly servers: readonly string[];
  readonly credentials?: NatsCredentials;
  /**
   * Read for each connection. With it, a server without TLS is refused. The client of NATS is not
   * told the files: while it reads them, nobody listens for the end of its socket.
   */
  readonly tls?: () => NatsTls;
  /** Bytes that a message may have at least, headers included. */
  readonly payloadBytesMin: number;
}

/** A connection that is open, or was a moment ago. */
export interface Connected {
  readonly connection: NatsConnection;
  readonly api: JetStreamManager;
}

/** A server takes no messages as large as a frame can be. */
export class PayloadTooSmall extends StreamMisconfigured {}

/** A server that has not answered after this time is not waited for. */
export const requestTimeoutMs = 2000;

/** Between attempts to connect, so that servers that are away are not flooded. */
const retryPauseMs = 250;

/** A server that has not answered two pings is gone; TCP would notice after many minutes. */
const pingIntervalMs = 2000;

/**
 * A connection that never reconnects by itself: what waited in one that ended must not be sent by
 * another one (behaviour/cluster#the-stream-at-nats). The next call makes a new one.
 */
export class NatsLink {
  readonly #access: NatsAccess;
  readonly #clock: Clock;
  readonly #name: string;
  #current: Promise<Connected> | undefined;
  #open: Connected | undefined;
  #hasFailed = false;
  #isClosed = false;

  /** @param name under which the connection is listed by the server */
  constructor(access: NatsAccess, clock: Clock, name: string) {
    this.#access = access;
    this.#clock = clock;
    this.#name = name;
  }

  /**
   * The open connection, or a new one. Calls that wait for it go on in their order.
   * @throws StreamUnreachable if no server takes it
   */
  connected(): Promise<Connected> {
    if (this.#isClosed) return Promise.reject(new StreamUnreachable('the link was closed'));
    this.#current ??= this.#begin();
    return this.#current;
  }

  /**
   * Asks something over the connection. One that does not answer in time is given up: another
   * server may be well.
   * @throws StreamUnreachable whatever went wrong, with the cause
   */
  async ask<T>(question: (connected: Connected) => Promise<T>): Promise<T> {
    const connected = await this.connected();
    try {
      return await question(connected);
    } catch (thrown) {
      if (isTimeout(thrown)) this.drop(connected);
      throw unreachable(thrown);
    }
  }

  /**
   * Asks for something without changing it, and repeats the question while there is no answer.
   * @throws StreamUnreachable as `ask` does
   */
  look<T>(question: (connected: Connected) => Promise<T>): Promise<T> {
    return this.ask((connected) => repeated(this.#clock, () => question(connected)));
  }

  /** Gives a connection up. Nothing that still waits in it is sent. */
  drop(connected: Connected): void {
    if (this.#open === connected) this.#current = undefined;
    // It ends by itself in any case; there is nobody to tell how.
    connected.connection.close().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const current = this.#current;
    this.#current = undefined;
    try {
      await (await current)?.connection.close();
    } catch {
      // It was never open.
    }
  }

  #begin(): Promise<Connected> {
    const attempt = this.#attempt();
    const forget = (): void => {
      if (this.#current === attempt) this.#current = undefined;
    };
    attempt.then(
      (connected) => {
        this.#hasFailed = false;
        this.#open = connected;
        connected.connection.closed().then(forget, forget);
      },
      () => {
        this.#hasFailed = true;
        forget();
      },
    );
    return attempt;
  }

  async #attempt(): Promise<Connected> {
    if (this.#hasFailed) await pause(this.#clock, retryPauseMs);
    const connection = await this.#connect();
    const most = connection.info?.max_payload ?? 0;
    const least = this.#access.payloadBytesMin;
    if (this.#isClosed || most < least) {
      await connection.close();
      if (this.#isClosed) throw new StreamUnreachable('the link was closed');
      throw new PayloadTooSmall(`max_payload is ${most}, and has to be at least ${least}`);
    }
    const options = { checkAPI: false, timeout: requestTimeoutMs };
    return { connection, api: await jetstreamManager(connection, options) };
  }

  async #connect(): Promise<NatsConnection> {
    const { servers, credentials, tls } = this.#access;
    const options: NodeConnectionOptions = {
      servers: [...servers],
      name: this.#name,
      reconnect: false,
      ignoreClusterUpdates: true,
      timeout: requestTimeoutMs,
      pingInterval: pingIntervalMs,
      maxPingOut: 2,
      noAsyncTraces: true,
    };
    try {
      if (tls !== undefined) options.tls = tls();
      if (credentials !== undefined) options.authenticator = authenticatorOf(credentials);
    } catch (thrown) {
      // The error of a file names it, and not its content.
      const text = isOfFile(thrown)
        ? reasonOf(thrown)
        : 'they are no JWT with a seed and no line USER:PASSWORD';
      throw new StreamMisconfigured(`the credentials for NATS cannot be used: ${text}`);
    }
    try {
      return await connect(options);
    } catch (thrown) {
      const text = `no connection to NATS: ${reasonOf(thrown)}`;
      const isRefused = thrown instanceof AuthorizationError;
      if (isRefused) throw new StreamMisconfigured(text, { cause: thrown });
      throw new StreamUnreachable(text, { cause: thrown });
    }
  }
}

function authenticatorOf(credentials: NatsCredentials): Authenticator {
  if (credentials.kind === 'password') {
    return usernamePasswordAuthenticator(credentials.user, credentials.password);
  }
  const content = credentials.read();
  const words = passwordIn(Buffer.from(content).toString('utf8'));
  if (words !== undefined) return usernamePasswordAuthenticator(words.user, words.password);
  const authenticator = credsAuthenticator(content);
  // Fails here rather than in the middle of a connection.
  authenticator('');
  return authenticator;
}

/** User and password of a credentials file that is one line `USER:PASSWORD`. */
export function passwordIn(
  text: string,
): { readonly user: string; readonly password: string } | undefined {
  const [, user, password] = /^([^\s:]{1,255}):(\S{1,255})\r?\n?$/.exec(text) ?? [];
  return user === undefined || password === undefined ? undefined : { user, password };
}

function isOfFile(thrown: unknown): boolean {
  return thrown instanceof Error && 'syscall' in thrown;
}
