// The log: one line an event on standard error, JSON for machines or readable on a terminal,
// without secrets.

import { type DestinationStream, destination, type Logger, type LoggerOptions, pino } from 'pino';
import { isSecretName, secretMask } from '../errors.ts';
import type { Clock } from '../ports.ts';

/** Levels of the log, the least first; `fatal` is always logged. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What a log line carries besides its message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes one line; an exception goes under `err`. */
export interface LogLine {
  (fields: LogFields, message: string): void;
  (message: string): void;
}

/** The log as the controller's parts see it. */
export interface Log {
  /** The least level that is logged. To set it changes it for the whole log, children included. */
  level: LogLevel;
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
  readonly fatal: LogLine;
  /** A log whose every line carries these fields too. */
  child(fields: LogFields): Log;
}

/** How a log is made. */
export interface LogOptions {
  readonly level: LogLevel;
  readonly clock: Pick<Clock, 'now'>;
  /** Lines for people instead of JSON. */
  readonly readable: boolean;
  /** Where whole lines go; standard error when absent. */
  readonly write?: (line: string) => void;
}

/** A log, and the way to have all of it written before the process ends. */
export interface OpenLog {
  readonly log: Log;
  flush(): void;
}

/**
 * Log lines that nobody reads; newer ones are dropped, so that a stalled log collector neither
 * stops the controller nor fills its memory. @bound per controller
 */
const logWaitingBytesMax = 1024 * 1024;

/** Makes the log. */
export function createLog(options: LogOptions): OpenLog {
  const sink = options.write === undefined ? standardError() : written(options.write);
  const stream = options.readable
    ? { write: (line: string) => sink.stream.write(readableLine(line)) }
    : sink.stream;
  const threshold: Threshold = { level: options.level };
  return { log: logOf(pino(pinoOptions(options), stream), threshold), flush: sink.flush };
}

/** The levels, the least first. */
export const logLevels: readonly LogLevel[] = Object.freeze(['debug', 'info', 'warn', 'error']);

/** One for a log and all its children: pino gives each child a level of its own. */
interface Threshold {
  level: LogLevel;
}

/** Our face of a logger. pino's own `child` does not pass its fields through the formatters. */
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
  flush(): void;
}

function written(write: (line: string) => void): Sink {
  return { stream: { write }, flush: () => undefined };
}

/** Standard error, written off the main thread. */
function standardError(): Sink {
  const stream = destination({ dest: 2, sync: false, maxLength: logWaitingBytesMax });
  // A reader that has gone (EPIPE) is no reason to end; there is nobody left to tell.
  stream.on('error', () => undefined);
  return {
    stream,
    flush: () => {
      try {
        stream.flushSync();
      } catch {
        // The same: what nobody reads cannot be flushed.
      }
    },
  };
}

function pinoOptions({ clock }: LogOptions): LoggerOptions {
  return {
    // Ours decides: it may change while the controller runs.
    level: 'debug',
    // Process id and host name are known to whoever collects the log.
    base: undefined,
    timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
    messageKey: 'message',
    formatters: {
      level: (label) => ({ level: label }),
      log: (fields) => masked(fields, 0) as Record<string, unknown>,
    },
  };
}

/** Levels of a log line that are searched for secrets; deeper ones are not logged. @bound */
const logDepthMax = 4;

/** The value without secrets: by the names of fields, wherever they stand. */
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

/**
 * Without control characters: a message may quote what a client sent, and a terminal obeys escapes.
 */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '?');
}
