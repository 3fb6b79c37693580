// The result of a campaign of failures, which runs by itself for hours and is only cited here.

import { readFileSync } from 'node:fs';
import { UsageProblem } from '../options.ts';

/** The result of a campaign. */
export interface CampaignResult {
  /** Of failures. */
  readonly rounds: number;
  /** Changes that were answered. */
  readonly acknowledged: number;
  /** Those that were not there afterwards, and those that were there twice. */
  readonly lost: number;
  readonly doubled: number;
  /** Reads and writes of single records whose histories were to be checked. */
  readonly operations: number;
  /** Whether all histories were checked and are linearizable. */
  readonly isLinearizable: boolean;
}

/** The last line of `test/system/cluster-campaign/run.ts`, which it prints if nothing was lost. */
const summary = new RegExp(
  [
    /(?<rounds>\d+) rounds?; (?<acknowledged>\d+) changes acknowledged, /,
    /(?<lost>\d+) lost, (?<doubled>\d+) done twice; .*?/,
    /(?<operations>\d+) operations on single records, \d+ open, (?<checked>all linearizable)?/,
  ]
    .map(({ source }) => source)
    .join(''),
);

/** The last result in a file with all that the campaign printed. @throws UsageProblem */
export function readCampaign(file: string): CampaignResult {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new UsageProblem(`${file} cannot be read: ${reason}`);
  }
  for (const line of text.split('\n').toReversed()) {
    const { groups } = summary.exec(line) ?? {};
    if (groups === undefined) continue;
    return {
      rounds: Number(groups['rounds']),
      acknowledged: Number(groups['acknowledged']),
      lost: Number(groups['lost']),
      doubled: Number(groups['doubled']),
      operations: Number(groups['operations']),
      isLinearizable: groups['checked'] !== undefined,
    };
  }
  throw new UsageProblem(`${file} has no line with the result of a campaign`);
}
