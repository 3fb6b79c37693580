// The type of a setting: one row of the configuration table, and how each kind of value is read.

import { isAbsolute, resolve } from 'node:path';
import { StartProblem } from '../errors/errors.ts';

/** A host and a port; port 0 stands for a free port, for tests and demonstrations. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/**
 * A wrong setting: one sentence for the operator that names the setting, its value and what is
 * expected.
 */
export class ConfigProblem extends StartProblem {
  override readonly name = 'ConfigProblem';
}

/** The parts of a row besides the reading of its value. */
export interface SettingFacts {
  /** For the generated documentation and `--help`. */
  readonly doc: string;
  /** Commander's notation: `--listen <host:port>`. */
  readonly flag?: string;
  readonly environment?: string;
  /** Whether messages must not show its value. */
  readonly secret?: boolean;
}

/** One setting. `read` takes a string (flag, environment) or a JSON value (file). */
export interface Setting<T> extends SettingFacts {
  readonly default: T;
  /** The default in words, where it differs from the plain value. */
  readonly defaultDoc?: string;
  /**
   * @param directory the directory that relative paths start from
   * @returns the value, or undefined when `raw` is not a value of this kind
   */
  readonly read: (raw: unknown, directory: string) => T | undefined;
  /** The expected value, as the end of "must be …". */
  readonly expected: string;
}

/** Whether an entry of the table is a setting and not a group. */
export function isSetting(entry: object): entry is Setting<unknown> {
  return 'read' in entry && typeof entry.read === 'function';
}

/** A string of some length. */
export function text(
  facts: SettingFacts & { default: string; charactersMin?: number; charactersMax?: number },
): Setting<string>;
export function text(
  facts: SettingFacts & { defaultDoc: string; charactersMin?: number; charactersMax?: number },
): Setting<string | undefined>;
export function text(
  facts: SettingFacts & {
    default?: string;
    defaultDoc?: string;
    charactersMin?: number;
    charactersMax?: number;
  },
): Setting<string | undefined> {
  const { charactersMin = 1, charactersMax = 255, ...rest } = facts;
  return {
    default: undefined,
    ...rest,
    expected: `a text of ${charactersMin} to ${charactersMax} characters`,
    read: (raw) =>
      typeof raw === 'string' && raw.length >= charactersMin && raw.length <= charactersMax
        ? raw
        : undefined,
  };
}

/** A file or directory, made absolute. */
export function path(facts: SettingFacts & { defaultDoc: string }): Setting<string | undefined> {
  return {
    default: undefined,
    ...facts,
    expected: 'a path',
    read: (raw, directory) => {
      if (typeof raw !== 'string' || raw === '' || raw.includes('\0')) return undefined;
      return isAbsolute(raw) ? raw : resolve(directory, raw);
    },
  };
}

/** A file, made absolute, or `-` for standard input or output. */
export function inputPath(
  facts: SettingFacts & { defaultDoc: string; expected?: string },
): Setting<string | undefined> {
  const { expected = 'a path, or - for standard input', ...rest } = facts;
  const file = path(rest);
  return {
    ...file,
    expected,
    read: (raw, directory) => (raw === standardInput ? raw : file.read(raw, directory)),
  };
}

/** The name of standard input where a command expects a file. */
export const standardInput = '-';

/** An integer within its bounds. */
export function integer(
  facts: SettingFacts & { default: number; defaultDoc?: string; least: number; most: number },
): Setting<number> {
  const { least, most, ...rest } = facts;
  return {
    ...rest,
    expected: `an integer from ${least} to ${most}`,
    read: (raw) => {
      const value = typeof raw === 'string' && /^-?\d{1,15}$/.test(raw) ? Number(raw) : raw;
      if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

/** A number within its bounds, such as minutes with a fraction. */
export function decimal(
  facts: SettingFacts & { default: number; least: number; most: number },
): Setting<number> {
  const { least, most, ...rest } = facts;
  return {
    ...rest,
    expected: `a number from ${least} to ${most}`,
    read: (raw) => {
      const value =
        typeof raw === 'string' && /^\d{1,9}(\.\d{1,9})?$/.test(raw) ? Number(raw) : raw;
      if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

/** Addresses to which a login may send a browser back; `:*` stands for any port. */
export function redirectUris(
  facts: SettingFacts & { default: readonly string[]; defaultDoc: string },
): Setting<readonly string[]> {
  return {
    ...facts,
    expected:
      'a list of URIs without a fragment, separated by commas, such as http://localhost:*/auth/callback',
    read: (raw) => {
      const uris = typeof raw === 'string' ? raw.split(',').map((uri) => uri.trim()) : raw;
      if (!Array.isArray(uris) || uris.length === 0 || uris.length > addressesMax) return undefined;
      return uris.every(isRedirectUri) ? uris : undefined;
    },
  };
}

function isRedirectUri(uri: unknown): uri is string {
  if (typeof uri !== 'string' || /[#\s]/.test(uri)) return false;
  return URL.canParse(uri.replace(':*', ':1')) && /^[a-z][a-z0-9+.-]*:\/\/[^@]+$/.test(uri);
}

/** Yes or no. */
export function boolean(facts: SettingFacts & { default: boolean }): Setting<boolean> {
  return {
    ...facts,
    expected: 'true or false',
    read: (raw) => {
      if (raw === true || raw === 'true') return true;
      return raw === false || raw === 'false' ? false : undefined;
    },
  };
}

/** One of a few words. */
export function choice<T extends string>(
  facts: SettingFacts & { default: T; choices: readonly T[] },
): Setting<T> {
  const { choices, ...rest } = facts;
  return {
    ...rest,
    expected: `one of ${choices.join(', ')}`,
    read: (raw) => choices.find((word) => word === raw),
  };
}

/** Some of a few words; all of them by default. */
export function words<T extends string>(
  facts: SettingFacts & { choices: readonly T[]; defaultDoc: string },
): Setting<readonly T[]> {
  const { choices, ...rest } = facts;
  return {
    ...rest,
    default: choices,
    expected: `a list of ${choices.join(', ')}, separated by commas`,
    read: (raw) => {
      const texts = typeof raw === 'string' ? raw.split(',').map((word) => word.trim()) : raw;
      if (!Array.isArray(texts) || texts.length === 0) return undefined;
      const read = choices.filter((word) => texts.includes(word));
      return texts.every((text) => choices.some((word) => word === text)) ? read : undefined;
    },
  };
}

/** HOST:PORT, an IPv6 address in brackets. */
export function address(
  facts: SettingFacts & { default: HostPort; defaultDoc: string },
): Setting<HostPort>;
export function address(
  facts: SettingFacts & { defaultDoc: string },
): Setting<HostPort | undefined>;
export function address(
  facts: SettingFacts & { default?: HostPort; defaultDoc?: string },
): Setting<HostPort | undefined> {
  return {
    default: undefined,
    ...facts,
    expected:
      'HOST:PORT with a port from 0 to 65535, such as 127.0.0.1:1280, localhost:0 or [::1]:1280',
    read: (raw) => (typeof raw === 'string' ? hostPort(raw) : undefined),
  };
}

/** HOST:PORT, or `none`. */
export function addressOrNone(
  facts: SettingFacts & { defaultDoc: string },
): Setting<HostPort | 'none' | undefined> {
  const { read, expected } = address(facts);
  return {
    default: undefined,
    ...facts,
    expected: `${expected}, or none`,
    read: (raw, directory) => (raw === 'none' ? raw : read(raw, directory)),
  };
}

/** Entries of a list of addresses. @bound */
export const addressesMax = 64;

/** A list of HOST:PORT, empty by default. */
export function addresses(
  facts: SettingFacts & { defaultDoc: string },
): Setting<readonly HostPort[]> {
  return {
    default: [],
    ...facts,
    expected: 'a list of HOST:PORT, separated by commas, such as n1.example:4222,n2.example:4222',
    read: (raw) => {
      const texts = typeof raw === 'string' ? raw.split(',') : raw;
      if (!Array.isArray(texts) || texts.length > addressesMax) return undefined;
      const read = texts.flatMap((text: unknown) =>
        typeof text === 'string' ? (hostPort(text.trim()) ?? []) : [],
      );
      return read.length === texts.length ? read : undefined;
    },
  };
}

/** HOST:PORT in the form of a URL. */
export function formatHostPort({ host, port }: HostPort): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether only programs on the machine itself can connect to this host. */
export function isLoopback(host: string): boolean {
  return host === '::1' || /^127(\.\d+){3}$/.test(host) || /^(.+\.)?localhost$/i.test(host);
}

const ipv6Form = /^\[([0-9a-fA-F:.]{2,45})\]:(\d{1,5})$/;
const nameForm = /^([0-9A-Za-z](?:[0-9A-Za-z.-]{0,252}[0-9A-Za-z])?):(\d{1,5})$/;

/** The address in a text `host:port`, as settings have it; undefined if it is none. */
export function hostPort(raw: string): HostPort | undefined {
  const [, host, digits] = ipv6Form.exec(raw) ?? nameForm.exec(raw) ?? [];
  if (host === undefined || digits === undefined) return undefined;
  const port = Number(digits);
  return port <= 65535 ? { host, port } : undefined;
}
