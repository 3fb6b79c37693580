// The process as commands see it, and the controller that they load: what tests replace.

import type { Config } from './config.ts';
import type { Log, LogLevel, OpenLog } from './observe/logs.ts';
import type { Clock, Random, TreeDisk } from './ports.ts';
import type { AdministratorReset, ResetAnswer } from './resources/administrator-reset.ts';
import type { SecretInput } from './terminal.ts';

/** The administrator that a first start made. */
export interface FirstStart {
  readonly adminUser: string;
  readonly adminPassword: string;
}

/** What the controller is given of the machine beside its configuration. */
export interface ControllerSystem {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Logs a fault after which memory and log are out of step, and ends the process at once. */
  readonly fatal: (error: unknown) => never;
}

/** A controller that serves. */
export interface RunningController {
  readonly url: string;
  readonly directUrl?: string | undefined;
  /** Of the metrics listener, when it is on. */
  readonly metricsUrl?: string | undefined;
  readonly firstStart?: FirstStart | undefined;
  /** The PEM file that clients trust it by. */
  readonly caFile: string;
  /** Resolves with the reason when it cannot go on. */
  readonly failed: Promise<Error>;
  /**
   * Looks whether another server certificate lies in its place, which it else does once a day.
   * Never rejects: what is wrong stands in the log.
   */
  reopenCertificate(): Promise<void>;
  /** Takes a snapshot now. Never rejects: what went wrong stands in the log. */
  takeSnapshot(): Promise<void>;
  /** Stops cleanly, with a last snapshot. */
  stop(): Promise<void>;
}

/** What `controller.ts` offers; both throw `StartProblem` for what the operator can mend. */
export interface ControllerModule {
  startController(config: Config, system: ControllerSystem): Promise<RunningController>;
  initHome(
    config: Config,
    system: ControllerSystem,
  ): Promise<{ readonly firstStart?: FirstStart | undefined }>;
  /** Resets an administrator of a home that no process holds. */
  resetAdministratorOf(
    config: Config,
    system: ControllerSystem,
    order: AdministratorReset,
  ): Promise<ResetAnswer>;
}

/** The process, as far as the commands touch it. */
export interface World {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  readonly cores: number;
  /** Whether standard error is a terminal: somebody is reading along. */
  readonly terminal: boolean;
  readonly clock: Clock;
  readonly random: Random;
  /** For commands that look at a home without a controller. */
  readonly disk: TreeDisk;
  /** Asks whoever started the command for a secret. */
  readonly secretInput: SecretInput;
  readFile(path: string): string;
  /** Writes a file that only its owner can read. */
  writeSecret(path: string, text: string): void;
  out(text: string): void;
  err(text: string): void;
  /** Resolves once standard output has taken what was written, or is closed. */
  drained(): Promise<void>;
  /** Whether nobody reads standard output any more. */
  outIsClosed(): boolean;
  /** Waits, and keeps the process alive meanwhile. */
  sleep(delayMs: number): Promise<void>;
  openLog(level: LogLevel): OpenLog;
  /** Calls `handler` at each SIGTERM and SIGINT from now on. */
  onSignal(handler: () => void): void;
  /** Calls `handler` at each SIGHUP from now on, which then no longer ends the process. */
  onHangUp(handler: () => void): void;
  /** Calls `handler` at each SIGUSR2 from now on, which then no longer ends the process. */
  onUserSignal(handler: () => void): void;
  /** Ends the process at once. */
  abort(exitCode: number): void;
  loadController(): Promise<ControllerModule>;
}
