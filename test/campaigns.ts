// The size and the seed of campaigns: short and constant in every check, long and different each
// night.

/** Whether this is the long run: `NIGHTLY=1`, which `.ci/nightly` sets. */
export const isNightly = process.env['NIGHTLY'] === '1';

/** The size of a campaign: what the environment says, else what this run is for. */
export function campaignSize(
  variable: 'CRASH_SEEDS' | 'KILL_ROUNDS' | 'MODEL_SEEDS' | 'MUTATED_FRAMES',
  sizes: { readonly usual: number; readonly nightly: number },
): number {
  return Number(process.env[variable] ?? (isNightly ? sizes.nightly : sizes.usual));
}

/** The seeds of a random model: `EDGE_SEED` alone where it is set, else the first `size` ones. */
export function modelSeeds(sizes: {
  readonly usual: number;
  readonly nightly: number;
}): readonly number[] {
  const only = process.env['EDGE_SEED'];
  if (only) return [Number(only)];
  return Array.from({ length: campaignSize('MODEL_SEEDS', sizes) }, (_, index) => index + 1);
}

/** The seed of a campaign, a whole number below 1,000,000: what the environment says, else 1. */
export function campaignSeed(variable: 'KILL_SEED' | 'PROPERTY_SEED'): number {
  return Number(process.env[variable] ?? (isNightly ? Date.now() % 1_000_000 : 1));
}
