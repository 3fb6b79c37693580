// The flags of the commands `export` and `apply`, and their meaning.

import { resolve } from 'node:path';
import { ConfigProblem } from '../../settings/setting-type.ts';
import type { FlagRow, Typed } from '../backup/flags.ts';

/** Flags that say which controller is asked, and as whom; those of settings are not among them. */
const reachFlags: readonly FlagRow[] = [
  ['--context <name>', 'The context of a login to use (environment: EDGE_CONTEXT).'],
  [
    '--url <url>',
    'The URL of the controller, if it is not the one that runs on the home (environment: EDGE_URL).',
  ],
  [
    '--ca <file>',
    'PEM of the CAs to trust (environment with EDGE_URL: EDGE_CA, default: <home>/pki/ca.pem).',
  ],
  [
    '--admin-user <name>',
    'The administrator to log in as (environment: EDGE_ADMIN_USER, default: admin).',
  ],
  [
    '--admin-password-file <file>',
    'A file with the password, or - for standard input (environment: EDGE_ADMIN_PASSWORD_FILE).',
  ],
  ['--cert <file>', 'PEM certificate of an administrator, to log in with instead of a password.'],
  ['--key <file>', 'PEM private key of --cert.'],
  ['--jwt-file <file>', 'A file with a JWT of an external signer, to log in with.'],
  [
    '--token-file <file>',
    'A file with a token of an API session or of OIDC, in place of a login (environment: EDGE_TOKEN_FILE).',
  ],
];

/** Flags of `export`. */
export const exportFlags: readonly FlagRow[] = [
  ['--format <format>', 'yaml, json, ziti or ziti-yaml (default: yaml).'],
  ...reachFlags,
];

/** Flags of `apply`. */
export const applyFlags: readonly FlagRow[] = [
  ['--dry-run', 'Only show what would be done.'],
  ['--prune', 'Delete what the file does not name, in the sections that it has.'],
  ['--yes', 'Do not ask before anything is changed. Needed without a terminal.'],
  [
    '--format <format>',
    'yaml and json (the default) are our form, ziti is that of ziti ops export.',
  ],
  ...reachFlags,
];

const passwordHelp = `
Without --context, --url and --home and their variables, the home in ./data is asked, or else the
controller of the current context. A session of edge-control login is used while it lasts, and that
of a home is kept for the next command. A second factor is requested at the terminal.

The password is that of EDGE_ADMIN_PASSWORD, --admin-password-file or <home>/admin-password; if
there is none, it is requested at the terminal. docs/declarative-state.md describes the file.`;

/** Notes with the help of `export`. */
export const exportHelp = `
Writes the network of a controller to standard output, with names in place of ids and without
secrets.
${passwordHelp}`;

/** Notes with the help of `apply`. */
export const applyHelp = `
FILE is YAML or JSON, or - for standard input. Only fields that the file names are compared.
At a terminal the plan ends with a question, which y or yes agrees to. Ctrl-C ends the command after
the changes that are under way, and says how many were made; the same command goes on from there.
${passwordHelp}`;

/** Which controller, and as whom; paths are absolute. */
export interface Reach {
  /** The context that is named; undefined if none is. */
  readonly contextName: string | undefined;
  /** Whether a flag or a variable names the home. */
  readonly isHomeNamed: boolean;
  /** Whether flags or variables say how to log in, so that no saved session may be used. */
  readonly hasLogin: boolean;
  readonly url: string | undefined;
  readonly caFile: string | undefined;
  readonly certificate: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly jwtFile: string | undefined;
  /** Undefined if there has to be a login. */
  readonly tokenFile: string | undefined;
}

/** Formats of the files. */
const formats = ['yaml', 'json', 'ziti', 'ziti-yaml'] as const;

/** One of them. */
export type Format = (typeof formats)[number];

/** The meaning of the flags of `export`. */
export interface ExportOrder extends Reach {
  readonly format: Format;
}

/** The meaning of the flags of `apply`. */
export interface ApplyOrder extends Reach {
  /** `-` is standard input. */
  readonly file: string;
  readonly format: Format;
  readonly isDryRun: boolean;
  readonly isPruning: boolean;
  readonly isAgreed: boolean;
}

/** Reads the flags of `export`. @throws ConfigProblem */
export function exportOrder(typed: Typed): ExportOrder {
  return { ...reachOf(typed), format: formatOf(typed) };
}

/** Reads the flags of `apply`. @throws ConfigProblem */
export function applyOrder(file: string, typed: Typed): ApplyOrder {
  const { flags, directory } = typed;
  return {
    ...reachOf(typed),
    file: file === '-' ? file : resolve(directory, file),
    format: formatOf(typed),
    isDryRun: flags['dryRun'] === true,
    isPruning: flags['prune'] === true,
    isAgreed: flags['yes'] === true,
  };
}

function formatOf({ flags }: Typed): Format {
  const { format: given = 'yaml' } = flags;
  const format = formats.find((known) => known === given);
  if (format !== undefined) return format;
  throw new ConfigProblem(
    `--format is ${JSON.stringify(given)} but must be one of ${formats.join(', ')}.`,
  );
}

function reachOf({ flags, environment, directory }: Typed): Reach {
  const path = (key: string) => {
    const value = flags[key];
    return typeof value === 'string' ? resolve(directory, value) : undefined;
  };
  const { contextName, url, isHomeNamed, variableCa } = namedController({ flags, environment });
  const [certFile, keyFile, jwtFile] = [path('cert'), path('key'), path('jwtFile')];
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new ConfigProblem('--cert and --key only make sense together.');
  }
  if (certFile !== undefined && jwtFile !== undefined) {
    throw new ConfigProblem('--cert and --jwt-file exclude each other.');
  }
  const isLogin = certFile !== undefined || jwtFile !== undefined;
  const typedToken = path('tokenFile');
  if (isLogin && typedToken !== undefined) {
    throw new ConfigProblem('--token-file excludes --cert and --jwt-file: it needs no login.');
  }
  const { EDGE_TOKEN_FILE: variable } = environment;
  const takesVariable = variable && !isLogin && contextName === undefined;
  const tokenFile = typedToken ?? (takesVariable ? resolve(directory, variable) : undefined);
  const certificate =
    certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
  const caFile = path('ca') ?? (variableCa ? resolve(directory, variableCa) : undefined);
  const hasLogin = tokenFile !== undefined || loginFlags.some((flag) => flags[flag] !== undefined);
  return {
    contextName,
    isHomeNamed,
    hasLogin,
    url,
    caFile,
    certificate,
    jwtFile,
    tokenFile,
  };
}

const loginFlags = ['adminUser', 'adminPasswordFile', 'cert', 'key', 'jwtFile', 'tokenFile'];

/** The flag or else the variable that names the controller. `--home` may go with `--url`. */
function namedController({ flags, environment }: Omit<Typed, 'directory'>) {
  const typed = (key: string) => {
    const value = flags[key];
    return typeof value === 'string' ? value : undefined;
  };
  const byFlag = typed('url') ?? typed('context') ?? typed('home');
  const { EDGE_CONTEXT, EDGE_URL, EDGE_HOME, EDGE_CA } = environment;
  if (byFlag === undefined && [EDGE_CONTEXT, EDGE_URL, EDGE_HOME].filter(Boolean).length > 1) {
    throw new ConfigProblem('Only one of EDGE_CONTEXT, EDGE_URL and EDGE_HOME may be set.');
  }
  const variables = byFlag === undefined;
  const contextName = typed('context') ?? ((variables && EDGE_CONTEXT) || undefined);
  const url = typed('url') ?? ((variables && EDGE_URL) || undefined);
  const excluded = ['url', 'home', 'ca', ...loginFlags].filter((key) => flags[key] !== undefined);
  if (contextName !== undefined && excluded.length > 0) {
    const named = typed('context') === undefined ? 'EDGE_CONTEXT' : '--context';
    throw new ConfigProblem(
      `${named} says where and as whom to log in, and excludes ${excluded.map(flagNamed).join(', ')}.`,
    );
  }
  if (url !== undefined && !/^https:\/\/[^/?#@]+\/?$/.test(url)) {
    const named = typed('url') === undefined ? 'EDGE_URL' : '--url';
    throw new ConfigProblem(`${named} is ${JSON.stringify(url)} but must be https://HOST:PORT.`);
  }
  const isHomeNamed = typed('home') !== undefined || Boolean(variables && EDGE_HOME);
  const variableCa = url === undefined ? undefined : EDGE_CA;
  return { contextName, url, isHomeNamed, variableCa };
}

function flagNamed(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
