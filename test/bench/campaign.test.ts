// The result of a campaign of failures, from its output.

import { join } from 'node:path';
import t from 'tap';
import { readCampaign } from '../../bench/cluster/campaign.ts';

const summary =
  '200 rounds; 51234 changes acknowledged, 0 lost, 0 done twice; 310 attempts without an answer ' +
  'and 90 refused, after which 41 requests were found to be done; 8000 operations on single ' +
  'records, 12 open, all linearizable; 3 nodes ended by themselves and were started again';

t.test('the last result in the output counts', async (t) => {
  const earlier = summary.replace('200 rounds', '6 rounds');
  const output = ['round 1: leader killed', earlier, 'more', summary, ''].join('\n');
  const file = join(t.testdir({ output }), 'output');
  t.same(readCampaign(file), {
    rounds: 200,
    acknowledged: 51_234,
    lost: 0,
    doubled: 0,
    operations: 8000,
    isLinearizable: true,
  });
});

t.test('histories that nobody checked are not called linearizable', async (t) => {
  const output = summary.replace('all linearizable', 'not checked');
  t.equal(readCampaign(join(t.testdir({ output }), 'output')).isLinearizable, false);
});

t.test('a file without a result', async (t) => {
  const directory = t.testdir({ output: 'round 1: leader killed\n' });
  t.throws(() => readCampaign(join(directory, 'output')), { message: /no line with the result/ });
  t.throws(() => readCampaign(join(directory, 'absent')), { message: /cannot be read/ });
});
