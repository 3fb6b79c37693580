// The bench's command line.

import { parseArgs } from 'node:util';

/** What is run, how long, and where the results go. */
export interface BenchOptions {
  readonly smoke: boolean;
  /** Identity counts of the homes. */
  readonly sizes: readonly number[];
  readonly connections: readonly number[];
  readonly measureMs: number;
  readonly warmUpMs: number;
  /**
   * Only what has this in its name: a scenario, a micro-bench, `limits`, `storm`, `endings`,
   * `snapshots`, `restart`, `micro`.
   */
  readonly only: string | undefined;
  readonly jsonFile: string | undefined;
  readonly htmlFile: string | undefined;
  /** Write `docs/generated/benchmarks.md`. */
  readonly publish: boolean;
  readonly profiled: boolean;
}

/** A mistake on the command line; its message is for the user. */
export class UsageProblem extends Error {
  override readonly name = 'UsageProblem';
}

/** How it is used. */
export const usage = `npm run bench -- [flags]
  --smoke                 a short run of small homes: are the answers right?
  --sizes 1000,100000     identities of the homes
  --connections 1,8,64    connections, each with one request under way
  --seconds 5             length of a measured window
  --only NAME             only what has NAME in its name; also limits, storm, endings,
                          snapshots, restart, micro
  --json FILE             default bench/out/results.json
  --html FILE             default bench/out/results.html
  --publish               write docs/generated/benchmarks.md
  --profile               profile each run into bench/out/profiles; figures are worse for it
`;

/** Reads the words behind the script. @throws UsageProblem */
export function readOptions(words: readonly string[]): BenchOptions {
  const values = parse(words);
  const smoke = values.smoke === true;
  const seconds = oneNumber('seconds', values.seconds ?? (smoke ? '0.5' : '5'));
  return {
    smoke,
    sizes: numbers('sizes', values.sizes ?? (smoke ? '200' : '1000,100000')),
    connections: numbers('connections', values.connections ?? (smoke ? '8' : '1,8,64')),
    measureMs: seconds * 1000,
    warmUpMs: Math.min(1000, seconds * 400),
    only: values.only,
    jsonFile: values.json,
    htmlFile: values.html,
    publish: values.publish === true,
    profiled: values.profile === true,
  };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        smoke: { type: 'boolean' },
        sizes: { type: 'string' },
        connections: { type: 'string' },
        seconds: { type: 'string' },
        only: { type: 'string' },
        json: { type: 'string' },
        html: { type: 'string' },
        publish: { type: 'boolean' },
        profile: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new UsageProblem((error as Error).message);
  }
}

function numbers(name: string, text: string): number[] {
  return text.split(',').map((word) => {
    const value = oneNumber(name, word);
    if (!Number.isInteger(value)) throw new UsageProblem(`--${name} takes whole numbers`);
    return value;
  });
}

function oneNumber(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value > 0 && Number.isFinite(value)) return value;
  throw new UsageProblem(`--${name} takes numbers above 0, not ${JSON.stringify(text)}`);
}
