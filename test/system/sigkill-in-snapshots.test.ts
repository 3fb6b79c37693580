// Kills in the middle of snapshots under load.

import { t } from 'tap';
import { campaignSeed, campaignSize } from '../campaigns.ts';
import { runCampaign } from './kill-campaign.ts';

const rounds = campaignSize('KILL_ROUNDS', { usual: 2, nightly: 150 });
const seed = String(campaignSeed('KILL_SEED'));
const ends = { kill: 2, killInSnapshot: 8, killInStart: 1, killInStop: 1, stop: 1 };

t.setTimeout(rounds * 60_000);
t.test(`killed at ${rounds} moments of snapshots`, async (t) => {
  t.setTimeout(rounds * 60_000);
  await runCampaign(t, 'test/system/sigkill-in-snapshots.test.ts', { rounds, seed, ends });
});
