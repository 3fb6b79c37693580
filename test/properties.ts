// fast-check with chance that repeats: what passes once passes always, and another seed is asked
// for.

import { configureGlobal } from 'fast-check';
import { campaignSeed } from './campaigns.ts';

configureGlobal({ seed: campaignSeed('PROPERTY_SEED') });

export * from 'fast-check';
export { default } from 'fast-check';
