// fast-check with a fixed seed, so that a result repeats; another seed can be set.

import { configureGlobal } from 'fast-check';
import { campaignSeed } from './campaigns.ts';

configureGlobal({ seed: campaignSeed('PROPERTY_SEED') });

export * from 'fast-check';
export { default } from 'fast-check';
