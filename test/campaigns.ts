// How large the campaigns are and what their chance follows from: quick and the same in every
// check, long and another each time at night.

/** Whether this is the long run: `NIGHTLY=1`, as `.ci/nightly` sets it. */
export const isNightly = process.env['NIGHTLY'] === '1';

/** The size of a campaign: what the environment says, else what this run is for. */
export function campaignSize(
  variable: 'CRASH_SEEDS' | 'KILL_ROUNDS',
  sizes: { readonly usual: number; readonly nightly: number },
): number {
  return Number(process.env[variable] ?? (isNightly ? sizes.nightly : sizes.usual));
}

/** The seed of a campaign, a whole number below 1,000,000: what the environment says, else 1. */
export function campaignSeed(variable: 'KILL_SEED' | 'PROPERTY_SEED'): number {
  return Number(process.env[variable] ?? (isNightly ? Date.now() % 1_000_000 : 1));
}
