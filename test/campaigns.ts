// How large the campaigns are: quick in every check, long at night.

/** Whether this is the long run: `NIGHTLY=1`, as `.ci/nightly` sets it. */
const isNightly = process.env['NIGHTLY'] === '1';

/** The size of a campaign: what the environment says, else what this run is for. */
export function campaignSize(
  variable: 'CRASH_SEEDS' | 'KILL_ROUNDS',
  sizes: { readonly usual: number; readonly nightly: number },
): number {
  return Number(process.env[variable] ?? (isNightly ? sizes.nightly : sizes.usual));
}
