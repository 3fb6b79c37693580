// The log: one line per event on standard error, as JSON or readable on a terminal, without
// secrets.

import { createRequire } from 'node:module';
import type { DestinationStream, Logger, LoggerOptions } from 'pino';
import { isSecretName, secretMask } from '../errors/errors.ts';
import type { Clock } from '../platform/ports.ts';
import { printable } from '../platform/printable.ts';
import { sourceStack } from './stacks.ts';

const require = createRequire(import.meta.url);

/** Loaded with the first log: it takes longer than Node itself, and few commands log anything. */
const loadPino = (): typeof import('pino') => require('pino') as typeof import('pino');

/** Levels of the log, the lowest first; `fatal` is always logged. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The fields of a log line besides its message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes one line. Exceptions are passed as `err`. */
export interface LogLine {
  (fields: LogFields, message: string): void;
  (message: string): void;
}

/** The log as the controller's parts see it. */
export interface Log {
  /** The lowest level that is logged. Setting it changes the whole log, including its children. */
  level: LogLevel;
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
  readonly fatal: LogLine;
  /** A log that adds these fields to each line. */
  child(fields: LogFields): Log;
}

/** Options of a log. */
export interface LogOptions {
  readonly level: LogLevel;
  readonly clock: Pick<Clock, 'now'>;
  /** Lines for people instead of JSON. */
  readonly readable: boolean;
  /** Where whole lines go; standard error when absent. */
  readonly write?: (line: string) => void;
}

/** A log, and a function that writes all its lines before the process ends. */
export interface OpenLog {
  readonly log: Log;
  /**
   * Resolves once all lines are written; never while nobody reads them. At an end in peace it
   * comes before `flush`, which would write the newest lines ahead of one that is under way.
   */
  settled(): Promise<void>;
  flush(): void;
}

/**
 * Log lines that nobody reads; newer ones are dropped, so that a stalled log collector neither
 * stops the controller nor fills its memory. @bound per controller
 */
const logWaitingBytesMax = 1024 * 1024;

/** Creates the log. */
export function createLog(options: LogOptions): OpenLog {
  const sink = options.write === undefined ? standardError() : written(options.write);
  const stream = options.readable
    ? { write: (line: string) => sink.stream.write(readableLine(line)) }
    : sink.stream;
  const threshold: Threshold = { level: options.level };
  const ends = { settled: sink.settled, flush: sink.flush };
  const { pino } = loadPino();
  return { log: logOf(pino(pinoOptions(options), stream), threshold), ...ends };
}

/** The levels, the lowest first. */
export const logLevels: readonly LogLevel[] = Object.freeze(['debug', 'info', 'warn', 'error']);

/** One level for a log and all its children. In pino, each child has a level of its own. */
interface Threshold {
  level: LogLevel;
}

/**
 * Our interface of a logger. pino's own `child` does not pass its fields through the formatters.
 */
function logOf(logger: Logger, threshold: Threshold): Log {
  const gated = (level: LogLevel): LogLine => {
    const rank = logLevels.indexOf(level);
    const line = logger[level].bind(logger) as (...told: readonly unknown[]) => void;
    return (...told: readonly unknown[]) => {
      if (logLevels.indexOf(threshold.level) <= rank) line(...told);
    };
  };
  return {
    get level() {
      return threshold.level;
    },
    set level(level) {
      threshold.level = level;
    },
    debug: gated('debug'),
    info: gated('info'),
    warn: gated('warn'),
    error: gated('error'),
    fatal: logger.fatal.bind(logger),
    child: (fields) => logOf(logger.child(masked(fields, 0) as Record<string, unknown>), threshold),
  };
}

interface Sink {
  readonly stream: DestinationStream;
  settled(): Promise<void>;
  flush(): void;
}

function written(write: (line: string) => void): Sink {
  return { stream: { write }, settled: async () => undefined, flush: () => undefined };
}

/** Standard error, written off the main thread. */
function standardError(): Sink {
  const stream = loadPino().destination({ dest: 2, sync: false, maxLength: logWaitingBytesMax });
  // If the reader has gone (EPIPE), the process goes on; the error cannot be reported to anybody.
  stream.on('error', () => undefined);
  let isWriting = false;
  stream.on('drain', () => {
    isWriting = false;
  });
  return {
    stream: {
      write: (line) => {
        isWriting = true;
        stream.write(line);
      },
    },
    settled: () =>
      new Promise((resolve) => {
        if (isWriting) stream.once('drain', resolve);
        else resolve();
      }),
    flush: () => {
      try {
        stream.flushSync();
      } catch {
        // The same holds here: lines without a reader cannot be flushed.
      }
    },
  };
}

function pinoOptions({ clock }: LogOptions): LoggerOptions {
  return {
    // Our own level decides, because it may change while the controller runs.
    level: 'debug',
    // The log collector knows the process id and the host name.
    base: undefined,
    timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
    messageKey: 'message',
    formatters: {
      level: (label) => ({ level: label }),
      log: (fields) => masked(fields, 0) as Record<string, unknown>,
    },
    serializers: { err: serializedError },
  };
}

function serializedError(err: unknown): unknown {
  if (!(err instanceof Error)) return err;
  const told = loadPino().stdSerializers.err(err);
  return { ...told, stack: sourceStack(told.stack) };
}

/** Levels of a log line that are searched for secrets; deeper ones are not logged. @bound */
const logDepthMax = 4;

/** The value without secrets, which are found by the names of fields at any depth. */
function masked(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value) && !isPlain(value)) return value;
  if (depth === logDepthMax) return '…';
  if (Array.isArray(value)) return value.map((entry) => masked(entry, depth + 1));
  const result: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(value)) {
    const secret = isSecretName(name) && entry !== undefined && entry !== null;
    result[name] = secret ? secretMask : masked(entry, depth + 1);
  }
  return result;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** `12:03:04.123 WARN  message  key=value`, and below it the stack of an exception. */
function readableLine(json: string): string {
  const { level, time, message, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const clock = String(time).slice(11, 23);
  const pairs = Object.entries(fields).map(([name, value]) => `  ${name}=${shown(value)}`);
  const head = `${clock} ${String(level).toUpperCase().padEnd(5)} ${printable(String(message ?? ''))}`;
  return `${head}${pairs.join('')}${stackOf(err)}\n`;
}

function shown(value: unknown): string {
  if (typeof value === 'string' && /^[\w.:/@-]+$/.test(value)) return value;
  return JSON.stringify(value);
}

function stackOf(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as { stack?: unknown; message?: unknown };
  const lines = String(stack ?? message ?? '').split('\n');
  return lines.map((line) => `\n    ${printable(line.trim())}`).join('');
}
