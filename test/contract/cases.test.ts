// Runs the cases in cases/, each on a network of its own, and what is generated for every
// operation; then asks whether each declared status of each operation was among the answers. After
// each case an integrity check must find nothing, whatever the case did.

import { readdirSync, readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { operations } from '../../src/assembly/operations.ts';
import { start } from '../integrity/scene.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';
import { AnswerCheck } from './harness/answer-check.ts';
import { type Case, readCases } from './harness/case-file.ts';
import { covers, readExemptions } from './harness/exercised.ts';
import { refusals } from './harness/refusals.ts';
import { takeSteps } from './harness/take-steps.ts';

const folder = new URL('./cases/', import.meta.url);
/** Only cases whose title holds this text: for working on one. */
const wanted = process.env['CASE'] ?? '';
const check = new AnswerCheck();

for (const file of readdirSync(folder).sort()) {
  t.test(file, async (t) => {
    for (const one of readCases(readFileSync(new URL(file, folder), 'utf8'))) {
      if (one.title.includes(wanted)) await t.test(one.title, (t) => run(t, one));
    }
  });
}

for (const { title, walk } of refusals) {
  if (title.includes(wanted)) t.test(title, (t) => walk(t, check));
}

t.test('every declared status of every operation was answered', { skip: wanted !== '' }, (t) => {
  const text = readFileSync(new URL('./unexercised.txt', import.meta.url), 'utf8');
  const exemptions = readExemptions(text);
  const gaps = check.exercised.gaps(operations);
  t.same(
    gaps.filter((gap) => !exemptions.some((exemption) => covers(exemption, gap))),
    [],
    'no case shows these, and unexercised.txt does not say why',
  );
  const stale = exemptions.filter((exemption) => !gaps.some((gap) => covers(exemption, gap)));
  t.same(stale, [], 'every exemption is for something');
  t.end();
});

async function run(t: Test, one: Case): Promise<void> {
  const network = await bootNetwork();
  await takeSteps(t, network, one, check);
  await checkIntegrity(t, network);
  await network.stop();
}

async function checkIntegrity(t: Test, network: Network): Promise<void> {
  const { integrity } = network.env;
  if (!integrity.results.inProgress) start(network, false);
  await network.advance(1000);
  const { inProgress, error, results } = integrity.results;
  const found = { inProgress, error, results };
  t.same(found, { inProgress: false, error: '', results: [] }, 'the data is consistent');
}
