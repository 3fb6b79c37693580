// Kills at random moments under load: of work, of a start, of a stop.

import { t } from 'tap';
import { campaignSeed, campaignSize } from '../campaigns.ts';
import { runCampaign } from './kill-campaign.ts';

const rounds = campaignSize('KILL_ROUNDS', { usual: 2, nightly: 150 });
const seed = String(campaignSeed('KILL_SEED'));
const ends = { kill: 7, killInSnapshot: 0, killInStart: 2, killInStop: 2, stop: 1 };

t.setTimeout(rounds * 60_000);
t.test(`killed at ${rounds} random moments`, async (t) => {
  t.setTimeout(rounds * 60_000);
  await runCampaign(t, 'test/system/sigkill.test.ts', { rounds, seed, ends });
});
