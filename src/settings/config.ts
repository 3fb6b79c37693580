// Reads the configuration: flags override the environment, then the file, then the defaults.

import { dirname, join, resolve } from 'node:path';
import { reasonOf, systemCodeOf } from '../../snapshots/errors.ts';
import { secretMask } from '../errors/errors.ts';
import { nearestName } from '../platform/nearest-name.ts';
import { isNestedDeeper } from '../platform/nesting.ts';
import { withoutLineEnd } from '../platform/terminal.ts';
import type { FileBounds } from '../platform/text-file.ts';
import { type ClusterConfig, clusterConfig, natsTls } from './cluster-config.ts';
import { limitsConflict, retiredLimits } from './limits.ts';
import {
  ConfigProblem,
  formatHostPort,
  type HostPort,
  isLoopback,
  isSetting,
  type Setting,
} from './setting-type.ts';
import { locations, settings } from './settings.ts';
import { unknownVariables } from './unknown-variables.ts';

type Values<S> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : Values<S[K]>;
};

/** Every setting with its value; the keys are those of the table in `settings.ts`. */
export interface Config
  extends Omit<Values<typeof settings>, 'advertise' | 'ctrlListen' | 'cluster'> {
  /** Absolute path of the home. */
  readonly home: string;
  /** Which source named the home, for messages about it: `--home`, `EDGE_HOME` or `the default`. */
  readonly homeFrom: string;
  /** Absolute path of the configuration file, which may not exist. */
  readonly configFile: string;
  /**
   * `--recover-to`: replay ends here and the rest of the log is set aside; undefined for the whole
   * log.
   */
  readonly recoverTo: number | undefined;
  /**
   * `--force`: a directory with foreign files may become a home; this node of a cluster may lead
   * without hearing a majority.
   */
  readonly force: boolean;
  readonly advertise: HostPort;
  /** Undefined without a listener for control connections alone. */
  readonly ctrlListen: CtrlListen | undefined;
  /** Threads that accept control connections there. */
  readonly controlWorkers: number;
  /** Undefined without a cluster. */
  readonly cluster: ClusterConfig | undefined;
  /** Sentences about parts of the file that this version ignores, to be logged at the start. */
  readonly notices: readonly string[];
}

/** The address of the listener for control connections alone. */
export interface CtrlListen extends HostPort {
  /** Whether the operator named it: then it must be free. */
  readonly isNamed: boolean;
}

/** The sources of settings; passed in, so that a test needs no process of its own. */
export interface ConfigSources {
  /** Values of flags by key (`directListen`), as typed. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * The text of a file, or of standard input for `-`, within bounds for small files where none are
   * given. @throws Node's errors, with a `code`; an Error for a file beyond the bounds
   */
  readonly readFile: (path: string, bounds?: FileBounds) => string;
  /**
   * The working directory: relative paths start here; paths in the file start at the file's own
   * directory.
   */
  readonly directory: string;
  /** Cores of the machine. */
  readonly cores: number;
}

/** Reads and checks the whole configuration. @throws ConfigProblem for the first problem. */
export function loadConfig(sources: ConfigSources): Config {
  const home = homeOf(sources);
  const named = given(locations.config, 'config', sources);
  const file = readConfigFile(named ?? join(home, 'config.json'), named !== undefined, sources);
  const values = valuesOf(settings, '', sources, file) as Values<typeof settings>;
  const unknown = unknownVariables(sources.environment);
  const notices = [...takeRetired(file), ...(unknown === undefined ? [] : [unknown])];
  for (const key of file.values.keys()) {
    const nearest = nearestName(key, keysOf(settings, ''));
    const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
    throw new ConfigProblem(`${key} in ${file.path} is no setting of this version.${meant}`);
  }
  const config: Config = {
    ...values,
    adminPassword: adminPasswordOf(values, sources),
    home,
    homeFrom: homeSource(sources),
    configFile: file.path,
    recoverTo: given(locations.recoverTo, 'recoverTo', sources),
    force: given(locations.force, 'force', sources) ?? false,
    advertise: values.advertise ?? advertised(values.listen),
    ctrlListen: ctrlListenOf(values),
    cluster: clusterConfig(values.cluster),
    notices,
    tlsWorkers: values.tlsWorkers || Math.max(1, sources.cores - 1),
    controlWorkers: sources.cores < 4 ? 1 : 2,
  };
  checkTogether(config);
  return config;
}

/** Removes the keys of older versions from the file's values; returns a sentence for each. */
function takeRetired({ path, values }: ConfigFile): string[] {
  const keys = [...retiredLimits].map((name) => `limits.${name}`).filter((key) => values.has(key));
  return keys.map((key) => {
    values.delete(key);
    return `${key} in ${path} can no longer be set; its value is ignored.`;
  });
}

/**
 * The administrator's password from whichever source it is given in. @throws ConfigProblem without
 * the password.
 */
function adminPasswordOf(
  { adminPassword, adminPasswordFile: file }: Values<typeof settings>,
  { readFile, directory }: ConfigSources,
): string | undefined {
  if (file === undefined) return adminPassword;
  if (adminPassword !== undefined) {
    throw new ConfigProblem('adminPassword and adminPasswordFile are both set: set one of them.');
  }
  let content: string;
  try {
    content = readFile(file);
  } catch (thrown) {
    throw new ConfigProblem(
      `The password of the administrator cannot be read: ${reasonOf(thrown)}.`,
    );
  }
  return checked(settings.adminPassword, withoutLineEnd(content), file, directory);
}

/** The home alone, for commands that need no other setting. @throws ConfigProblem */
export function homeOf(
  sources: Pick<ConfigSources, 'flags' | 'environment' | 'directory'>,
): string {
  return given(locations.home, 'home', sources) ?? resolve(sources.directory, 'data');
}

function homeSource({ flags, environment }: Pick<ConfigSources, 'flags' | 'environment'>): string {
  const { flag = '', environment: variable = '' } = locations.home;
  if (flags['home'] !== undefined) return flag.split(' ', 1).join();
  return environment[variable] ? variable : 'the default';
}

/** The home and the source that named it: people give another home than they believe. */
export function shownHome({ home, homeFrom }: Pick<Config, 'home' | 'homeFrom'>): string {
  return `${home} (${homeFrom})`;
}

/**
 * The configuration file, with flat keys (`session.timeoutMinutes`); each key is removed when it is
 * read.
 */
interface ConfigFile {
  readonly path: string;
  readonly values: Map<string, unknown>;
}

/** Codes for a file that is not there. A home that is a file is refused where it is opened. */
const absent: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

function readConfigFile(path: string, required: boolean, sources: ConfigSources): ConfigFile {
  const values = new Map<string, unknown>();
  let content: string;
  try {
    content = sources.readFile(path);
  } catch (thrown) {
    if (!required && absent.has(systemCodeOf(thrown))) return { path, values };
    throw new ConfigProblem(`The configuration file cannot be read: ${reasonOf(thrown)}.`);
  }
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch (thrown) {
    throw new ConfigProblem(`${path} is not valid JSON: ${reasonOf(thrown)}.`);
  }
  if (!isGroup(json)) throw new ConfigProblem(`${path} must hold one JSON object.`);
  if (isNestedDeeper(json, levelsMax)) {
    throw new ConfigProblem(`${path} is nested deeper than ${levelsMax} levels.`);
  }
  flatten(json, '', values, path);
  return { path, values };
}

/** Levels of a configuration file; no setting lies deeper than three groups and a list. @bound */
const levelsMax = 8;

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function flatten(
  group: Readonly<Record<string, unknown>>,
  prefix: string,
  into: Map<string, unknown>,
  path: string,
): void {
  for (const [name, value] of Object.entries(group)) {
    const key = prefix + name;
    if (isGroup(value)) {
      flatten(value, `${key}.`, into, path);
    } else {
      if (into.has(key)) throw new ConfigProblem(`${key} stands twice in ${path}.`);
      into.set(key, value);
    }
  }
}

/** The keys of the settings of a group and of the groups in it. */
function keysOf(group: object, prefix: string): string[] {
  return Object.entries(group).flatMap(([name, entry]: [string, object]) => {
    const key = prefix + name;
    return isSetting(entry) ? [key] : keysOf(entry, `${key}.`);
  });
}

/** The table's values, group by group. */
function valuesOf(
  group: object,
  prefix: string,
  sources: ConfigSources,
  file: ConfigFile,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(group)) {
    const key = prefix + name;
    values[name] = isSetting(entry)
      ? (given(entry, key, sources, file) ?? entry.default)
      : valuesOf(entry, `${key}.`, sources, file);
  }
  return values;
}

/** The configured value of a setting, checked; undefined when it is not configured. */
function given<T>(
  setting: Setting<T>,
  key: string,
  sources: Pick<ConfigSources, 'flags' | 'environment' | 'directory'>,
  file?: ConfigFile,
): T | undefined {
  const inFile = file?.values.get(key);
  const isInFile = file?.values.delete(key) ?? false;
  const flag = setting.flag === undefined ? undefined : sources.flags[flagKey(key)];
  if (flag !== undefined) {
    return checked(setting, flag, setting.flag?.split(' ')[0] ?? key, sources.directory);
  }
  const { environment: variable } = setting;
  const fromEnvironment = variable === undefined ? undefined : sources.environment[variable];
  // Shells and unit files express "not set" by an empty variable.
  if (variable !== undefined && fromEnvironment !== undefined && fromEnvironment !== '') {
    return checked(setting, fromEnvironment, variable, sources.directory);
  }
  if (file === undefined || !isInFile) return undefined;
  return checked(setting, inFile, `${key} in ${file.path}`, dirname(file.path));
}

/** The key of a flag among those that were typed: `cluster.tls.ca` is given by `clusterTlsCa`. */
function flagKey(key: string): string {
  return key.replaceAll(/\.(.)/g, (_dot, letter: string) => letter.toUpperCase());
}

function checked<T>(setting: Setting<T>, raw: unknown, source: string, directory: string): T {
  const value = setting.read(raw, directory);
  if (value !== undefined) return value;
  const shown = setting.secret === true ? secretMask : JSON.stringify(raw);
  throw new ConfigProblem(`${source} is ${shown} but must be ${setting.expected}.`);
}

/** Loopback and wildcard addresses, which a certificate or a client cannot use as they are. */
const namelessHosts = new Set(['127.0.0.1', '::1', '0.0.0.0', '::']);

function advertised({ host, port }: HostPort): HostPort {
  return { host: namelessHosts.has(host) ? 'localhost' : host, port };
}

/** The port on which routers expect a controller that names no other. */
const controlPort = 6262;

function ctrlListenOf(values: Values<typeof settings>): CtrlListen | undefined {
  const { ctrlListen, listen, directListen, metrics } = values;
  if (ctrlListen === 'none') return undefined;
  if (ctrlListen !== undefined) return { ...ctrlListen, isNamed: true };
  const others = [listen, directListen, metrics.listen];
  if (others.some((other) => other?.port === controlPort)) return undefined;
  // Several controllers on free ports, in tests and demonstrations, do not compete for one port.
  const port = listen.port === 0 ? 0 : controlPort;
  return { host: listen.host, port, isNamed: false };
}

/**
 * Checks settings that depend on each other; those of the PKI are checked with the files they name.
 */
function checkTogether(config: Config): void {
  const { argon2, limits, home, console, listen, ctrlListen, ctrlAdvertise } = config;
  // Sockets of this process may share a port, and the connections would be dealt out to both.
  if (ctrlListen !== undefined && ctrlListen.port !== 0 && ctrlListen.port === listen.port) {
    throw new ConfigProblem(
      `ctrlListen and listen have the same port ${listen.port}: set ctrlListen to none, because routers are served there in any case.`,
    );
  }
  // Routers would store an address that leads to themselves, and keep it.
  if (ctrlAdvertise !== undefined && isLoopback(ctrlAdvertise.host) && !isLoopback(listen.host)) {
    throw new ConfigProblem(
      `ctrlAdvertise is ${formatHostPort(ctrlAdvertise)}, which no router on another machine can reach, but listen is ${formatHostPort(listen)}: name an address that routers can reach.`,
    );
  }
  // Everybody can read what is served.
  if (console !== undefined && (isWithin(home, console) || isWithin(console, home))) {
    throw new ConfigProblem(`console is ${console} but must be apart from the home ${home}.`);
  }
  // RFC 9106 §3.1: at least 8 KiB per lane.
  if (argon2.memoryKib < 8 * argon2.parallelism) {
    throw new ConfigProblem('argon2.memoryKib must be at least 8 times argon2.parallelism.');
  }
  natsTls('events.nats', config.events.nats);
  checkCluster(config);
  const conflict = limitsConflict(limits);
  if (conflict !== undefined) throw new ConfigProblem(`${conflict}.`);
}

/** Checks what a cluster does not permit beside it, or what would take its port. */
function checkCluster(config: Config): void {
  const { cluster, durability, directListen, recoverTo } = config;
  if (cluster === undefined) return;
  if (durability === 'memory') {
    throw new ConfigProblem(
      'durability is memory, but a node of a cluster always keeps a log: leave durability out.',
    );
  }
  if (directListen !== undefined) {
    throw new ConfigProblem(
      'directListen is set, but a node of a cluster has no direct listener, because a follower could not relay its connections: leave it out.',
    );
  }
  if (recoverTo !== undefined) {
    throw new ConfigProblem(
      '--recover-to cuts only the log of this node, which the cluster would fill again: use edge-control cluster reseed.',
    );
  }
  const { port } = cluster.listen;
  const others = { listen: config.listen, ctrlListen: config.ctrlListen };
  for (const [name, other] of Object.entries({
    ...others,
    'metrics.listen': config.metrics.listen,
  })) {
    if (port !== 0 && other?.port === port) {
      throw new ConfigProblem(`cluster.listen and ${name} have the same port ${port}.`);
    }
  }
}

function isWithin(path: string, directory: string): boolean {
  return `${resolve(path)}/`.startsWith(`${resolve(directory)}/`.replace('//', '/'));
}
