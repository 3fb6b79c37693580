// The bench's command line.

import { parseArgs } from 'node:util';
import type { Administrator } from './target.ts';

/** The scenarios of a run, its duration, and the files of its results. */
export interface BenchOptions {
  readonly smoke: boolean;
  /** Identity counts of the homes. */
  readonly sizes: readonly number[];
  readonly connections: readonly number[];
  readonly measureMs: number;
  readonly warmUpMs: number;
  /**
   * Open loops: at these shares of the closed loop's throughput, or at this many requests per
   * second.
   */
  readonly shares: readonly number[];
  readonly rate: number | undefined;
  /**
   * Run only items with this in their name: a scenario, a micro-bench, `limits`, `mixed`, `storm`,
   * `endings`, `snapshots`, `inspectors`, `restart`, `routers`, `fabric`, `oidc`, `cli`,
   * `migrate`, `cluster`, `micro`.
   */
  readonly only: string | undefined;
  /** Leave out items with one of these in their name. */
  readonly without: readonly string[];
  /** A git revision to be measured in turns with this checkout. */
  readonly against: string | undefined;
  /** How many turns; absent: as many as each comparison usually has. */
  readonly turns: number | undefined;
  /** How often the leader of a cluster is killed; absent: as often as usual. */
  readonly kills: number | undefined;
  /** The output of a campaign of failures, which is cited. */
  readonly campaignFile: string | undefined;
  /** A controller that is already running. */
  readonly remote: RemoteOptions | undefined;
  /** The results of an earlier run, or of its parts, which are reported; undefined to measure. */
  readonly fromFiles: readonly string[] | undefined;
  /** The results of another controller, which are shown beside those of this run. */
  readonly besideFile: string | undefined;
  readonly jsonFile: string | undefined;
  readonly htmlFile: string | undefined;
  /** Write `docs/generated/benchmarks.md`, or with `only` `benchmarks-<only>.md`. */
  readonly publish: boolean;
  readonly profiled: boolean;
}

/** Any controller of the API, by its URL. */
export interface RemoteOptions {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly administrator: Administrator;
  readonly caFile: string | undefined;
}

/** An error on the command line; its message is for the user. */
export class UsageProblem extends Error {
  override readonly name = 'UsageProblem';
}

/**
 * The environment variable of the password if `--admin` has none, as command lines are visible to
 * others.
 */
export const passwordVariable = 'EDGE_BENCH_PASSWORD';

/** The usage text. */
export const usage = `npm run bench -- [flags]
  --smoke                 a short run on small homes that only checks the answers
  --sizes 1000,100000     identities of the homes; up to 1000000
  --connections 1,8,64    connections, each with one pending request
  --seconds 5             length of a measured window
  --load 0.25,0.5,0.75,0.9
                          open loops after the closed one, at these shares of its throughput;
                          'none' for none (the default with --against)
  --rate 5000             open loops at this many requests per second instead
  --only NAME             only items with NAME in their name; also limits, mixed, storm, endings,
                          snapshots, inspectors, restart, routers (or routers-fleet,
                          routers-traffic), fabric (or fabric-pages, fabric-events,
                          fabric-usage, fabric-model, fabric-returns), oidc (or
                          oidc-logins, oidc-sessions, oidc-circuits, oidc-unused), cli,
                          migrate, cluster (or cluster-takeover, cluster-creates,
                          cluster-logins, cluster-single), micro
  --without NAME,NAME     no items with one of these in their name
  --against GIT-REF       build that revision too and measure both in turns: ratios with spread
  --turns 5               turns of each of the two; in a cluster 7 is usual
  --kills 50              how often the leader of a cluster is killed; machines are killed, and
                          leaders step down, two fifths as often
  --campaign FILE         cite the result of a campaign of failures, of which FILE is the output
  --url https://HOST:PORT measure that controller through its API only; the entities that this
                          creates have a prefix of their own and are deleted again
  --admin NAME[:PASSWORD] an administrator there; without a password, which is safer, it is read
                          from ${passwordVariable}
  --ca FILE               the certificates that it is trusted by, PEM
  --beside FILE           show the results in FILE, from an earlier --json, beside those of this run
  --from FILE,FILE        report the results in the files and measure nothing: of a long run that
                          was made in parts, each with --only and --json
  --json FILE             default bench/out/results.json
  --html FILE             default bench/out/results.html
  --publish               write docs/generated/benchmarks.md; with --only NAME, benchmarks-NAME.md
  --profile               profile each run into bench/out/profiles; the figures are worse
`;

/** Shares of the closed loop's throughput that open loops run at. */
const sharesDefault = '0.25,0.5,0.75,0.9';

/** Reads the command-line arguments. @throws UsageProblem */
export function readOptions(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): BenchOptions {
  const values = parse(words);
  const smoke = values.smoke === true;
  const seconds = oneNumber('seconds', values.seconds ?? (smoke ? '0.1' : '5'));
  const remote = remoteOf(values, environment);
  if (remote !== undefined && (values.against !== undefined || values.profile === true)) {
    throw new UsageProblem('--url cannot be combined with --against or --profile');
  }
  if (values.from !== undefined && (remote !== undefined || values.against !== undefined)) {
    throw new UsageProblem(
      '--from measures nothing, so it cannot be combined with --url or --against',
    );
  }
  if (values.publish === true && !/^[\w-]*$/.test(values.only ?? '')) {
    throw new UsageProblem('--publish takes letters, digits and hyphens after --only');
  }
  const isCompared = values.against !== undefined || values.profile === true;
  const sizes = smoke ? '200' : remote === undefined ? '1000,100000' : '1000';
  return {
    smoke,
    sizes: numbers('sizes', values.sizes ?? sizes),
    connections: numbers('connections', values.connections ?? (smoke ? '8' : '1,8,64')),
    measureMs: seconds * 1000,
    warmUpMs: Math.min(1000, seconds * 400),
    shares: sharesOf(values.load ?? (isCompared ? 'none' : smoke ? '0.5' : sharesDefault)),
    rate: values.rate === undefined ? undefined : oneNumber('rate', values.rate),
    only: values.only,
    without: values.without?.split(',') ?? [],
    against: values.against,
    turns: values.turns === undefined ? undefined : whole('turns', values.turns),
    kills: values.kills === undefined ? undefined : whole('kills', values.kills),
    campaignFile: values.campaign,
    remote,
    fromFiles: values.from?.split(','),
    besideFile: values.beside,
    jsonFile: values.json,
    htmlFile: values.html,
    publish: values.publish === true,
    profiled: values.profile === true,
  };
}

/** Whether an item of this name is to be measured. */
export function isWanted({ only, without }: BenchOptions, name: string): boolean {
  if (without.some((part) => name.includes(part))) return false;
  return only === undefined || name.includes(only);
}

function parse(words: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...words],
      options: {
        smoke: flag,
        publish: flag,
        profile: flag,
        sizes: text,
        connections: text,
        seconds: text,
        load: text,
        rate: text,
        only: text,
        without: text,
        against: text,
        turns: text,
        kills: text,
        campaign: text,
        url: text,
        admin: text,
        ca: text,
        beside: text,
        from: text,
        json: text,
        html: text,
      },
    }).values;
  } catch (error) {
    throw new UsageProblem((error as Error).message);
  }
}

function remoteOf(
  { url: text, admin, ca }: ReturnType<typeof parse>,
  environment: Readonly<Record<string, string | undefined>>,
): RemoteOptions | undefined {
  if (text === undefined) {
    if (admin === undefined && ca === undefined) return undefined;
    throw new UsageProblem('--admin and --ca belong to --url');
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:')
    throw new UsageProblem(`--url takes https://HOST:PORT, not ${text}`);
  const [, username = '', password = environment[passwordVariable] ?? ''] =
    /^([^:]+)(?::(.*))?$/.exec(admin ?? '') ?? [];
  if (username === '' || password === '') {
    throw new UsageProblem(`--url needs --admin NAME, and its password in ${passwordVariable}`);
  }
  return {
    url: url.origin,
    // An IPv6 address has brackets only in URLs.
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: url.port === '' ? 443 : Number(url.port),
    administrator: { username, password },
    caFile: ca,
  };
}

function sharesOf(text: string): number[] {
  if (text === 'none') return [];
  return text.split(',').map((word) => {
    const value = oneNumber('load', word);
    if (value > 2) throw new UsageProblem('--load takes shares of 1, as 0.5');
    return value;
  });
}

function numbers(name: string, text: string): number[] {
  return text.split(',').map((word) => whole(name, word));
}

function whole(name: string, text: string): number {
  const value = oneNumber(name, text);
  if (!Number.isInteger(value)) throw new UsageProblem(`--${name} takes whole numbers`);
  return value;
}

function oneNumber(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && Number.isFinite(value)) return value;
  throw new UsageProblem(`--${name} takes numbers above 0, not ${JSON.stringify(text)}`);
}
