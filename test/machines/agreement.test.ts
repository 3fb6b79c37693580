// Every machine of the registry, and that of a cluster's node: the compiled table equals XState's
// own answer for each state and event.

import t from 'tap';
import { clusterNode } from '../../machines/cluster-node.ts';
import { compile } from '../../machines/compile.ts';
import { machines as registered } from '../../machines/index.ts';
import * as fc from '../properties.ts';
import { assertAgreement } from './agreement.ts';
import { arbitrariesOf } from './arbitraries.ts';

const machines = [...registered, clusterNode];

for (const durable of machines) {
  t.test(`${durable.machine.id} decides as XState does`, async (t) => {
    const pairs = assertAgreement(durable, 100);
    t.ok(pairs > 0, `${pairs} pairs of state and event`);
  });
}

t.test('no two machines share a kind', async (t) => {
  t.equal(new Set(machines.map(({ machine }) => machine.id)).size, machines.length);
});

t.test('record arbitraries reach every state a record can be in', async (t) => {
  for (const durable of machines) {
    const { record } = arbitrariesOf(durable);
    const seen = new Set(fc.sample(record, { numRuns: 200, seed: 7 }).map((one) => one.state));
    const table = compile(durable);
    const expected = [...table.rows.values()]
      .filter((row) => !row.final && row.state !== table.initial)
      .map((row) => row.state);
    t.same([...seen].sort(), expected.sort(), durable.machine.id);
  }
});
