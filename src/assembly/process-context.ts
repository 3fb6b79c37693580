// The process as commands see it, and the controller that they load: what tests replace.

import type { Log, LogLevel, OpenLog } from '../observe/logs.ts';
import type { Clock, Random, TreeDisk } from '../platform/ports.ts';
import type { Screen } from '../platform/screen.ts';
import type { AnswerInput, SecretInput } from '../platform/terminal.ts';
import type { FileBounds } from '../platform/text-file.ts';
import type {
  AdministratorReset,
  ResetAnswer,
} from '../resources/authenticators/administrator-reset.ts';
import type { Config, ConfigSources } from '../settings/config.ts';

/** The administrator that a first start created. */
export interface FirstStart {
  readonly adminUser: string;
  readonly adminPassword: string;
}

/** The parts of the machine that the controller gets besides its configuration. */
export interface ControllerSystem {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Logs a fault after which memory and log no longer agree, and ends the process at once. */
  readonly fatal: (error: unknown) => never;
}

/** A controller that serves requests. */
export interface RunningController {
  readonly url: string;
  /** `tls:host:port` of the control channel, as routers are told. */
  readonly controlAddress?: string | undefined;
  readonly directUrl?: string | undefined;
  /** Of the metrics listener, when it is on. */
  readonly metricsUrl?: string | undefined;
  readonly firstStart?: FirstStart | undefined;
  /** The PEM file with the CAs that clients trust. */
  readonly caFile: string;
  /** Resolves with the reason when it cannot go on. */
  readonly failed: Promise<Error>;
  /**
   * Checks for a new server certificate, which otherwise happens once per day. Never rejects:
   * problems are logged.
   */
  reopenCertificate(): Promise<void>;
  /** Takes a snapshot now. Never rejects: failures are logged. */
  takeSnapshot(): Promise<void>;
  /** Stops cleanly, with a last snapshot. */
  stop(): Promise<void>;
}

/**
 * The exports of `controller.ts`; both throw `StartProblem` for problems that the operator can fix.
 */
export interface ControllerModule {
  startController(config: Config, system: ControllerSystem): Promise<RunningController>;
  initHome(
    config: Config,
    system: ControllerSystem,
  ): Promise<{ readonly firstStart?: FirstStart | undefined }>;
  /** Resets an administrator of a home that no process has locked. */
  resetAdministratorOf(
    config: Config,
    system: ControllerSystem,
    order: AdministratorReset,
  ): Promise<ResetAnswer>;
}

/** The parts of the process that the commands use. */
export interface ProcessContext extends Omit<ConfigSources, 'flags'> {
  /** Whether standard error is a terminal that a person reads. */
  readonly terminal: boolean;
  /** Whether standard output is one. */
  readonly outIsTerminal: boolean;
  /** Columns of the terminal that standard output is; undefined where they are not known. */
  outColumns(): number | undefined;
  /** The screen of commands that show something live. */
  readonly screen: Screen;
  readonly clock: Clock;
  readonly random: Random;
  /** For commands that read a home without a controller. */
  readonly disk: TreeDisk;
  /** The bytes of a file, as `readFile` reads its text. */
  readonly readBytes: (path: string, bounds: FileBounds) => Buffer;
  /** Asks the user of the command for a secret. */
  readonly secretInput: SecretInput;
  /** Asks the user of the command for an answer that may be seen. */
  readonly answerInput: AnswerInput;
  /** Writes a file that only its owner can read. */
  writeSecret(path: string, text: string): void;
  /**
   * Text of whole lines. What could steer a terminal is escaped in it; in a line that holds text of
   * others, its writer also escapes line feeds (`printable`).
   */
  out(text: string): void;
  /** As `out`, on standard error. */
  err(text: string): void;
  /** Writes over the last line of standard error, which is a terminal. */
  overwrite(text: string): void;
  /** Resolves once standard output has taken what was written, or is closed. */
  drained(): Promise<void>;
  /** Whether standard output has no reader any more. */
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
  /** Asks another process to end (SIGTERM). @throws a system error */
  terminate(pid: number): void;
  /** Ends the process at once. */
  abort(exitCode: number): void;
  loadController(): Promise<ControllerModule>;
}
