// Flows against a small server of the test's own: what is captured, kept and blamed.

import t from 'tap';
import type { FlowJob, FlowStep } from '../../bench/load/flow.ts';
import { runFlowLoop } from '../../bench/load/flow-loop.ts';
import { endLoops } from '../../bench/load/running-loops.ts';
import { serveLoop } from './loop-server.ts';

/** A GET that captures the name of the thing in its answer. */
function step(path: string, name: string, slots: FlowStep['request']['slots'] = {}): FlowStep {
  return {
    request: { method: 'GET', path, headers: {}, body: '', slots },
    status: 200,
    captures: [{ name, after: '"./things/', until: '"' }],
  };
}

const number = { n: { kind: 'number', digits: 2 } } as const;

const flow = [step('/a{{n}}', 'begun', number), step('/{{begun}}-b', 'ended')];

async function serve(...[test, answer]: Parameters<typeof serveLoop>) {
  const { job, seen, server } = await serveLoop(test, answer);
  const { request, expect, collectIds, ...place } = job;
  const flowJob: FlowJob = {
    ...place,
    connections: 2,
    firstRequest: 0,
    requestsMax: 6,
    first: [],
    steps: flow,
    keeps: 'ended',
  };
  return { job: flowJob, seen, server };
}

t.test('later requests hold what earlier ones were answered', async (t) => {
  const { job, seen } = await serve(t, () => 200);
  const result = await runFlowLoop(job);
  const numbers = ['00', '01', '02', '03', '04', '05'];
  const wanted = numbers.flatMap((n) => [`/a${n}`, `/a${n}-b`]);
  t.same(seen.toSorted(), wanted.toSorted());
  t.same(
    result.ids,
    numbers.map((n) => `a${n}-b`),
    'in the order of the flows',
  );
  t.match(result, { sent: 6, answered: 6, wrong: 0, distinctIds: 6 });
});

t.test('what each connection does first stays known', async (t) => {
  const { job, seen } = await serve(t, () => 200);
  const first = [step('/c{{n}}', 'own', number)];
  const steps = [step('/{{own}}+', 'own')];
  const result = await runFlowLoop({ ...job, connections: 1, requestsMax: 2, first, steps });
  t.same(seen, ['/c00', '/c00+', '/c00++']);
  t.equal(result.answered, 2);
});

t.test('a wrong answer ends its flow and no other one', async (t) => {
  const { job, seen } = await serve(t, (n) => (n === 1 ? 500 : 200));
  const result = await runFlowLoop({ ...job, connections: 1 });
  t.equal(seen.length, 11);
  t.equal(result.wrong, 1);
  t.match(result.wrongSamples[0], /status 500/);
});

t.test('answers without what they must hold, or with what came before, are wrong', async (t) => {
  const { job } = await serve(t, () => 200);
  const strange: FlowStep = {
    ...step('/a', 'x'),
    captures: [{ name: 'x', after: '?', until: '' }],
  };
  const lacking = await runFlowLoop({ ...job, requestsMax: 1, steps: [strange] });
  t.match(lacking.wrongSamples.join(), /without x/);
  const repeated = await runFlowLoop({ ...job, requestsMax: 3, steps: [step('/same', 'ended')] });
  t.match(repeated, { wrong: 1, distinctIds: 1 });
});

t.test('lost connections and an early end', async (t) => {
  const { job, server } = await serve(t, (n) => {
    if (n === 4) server.closeAllConnections();
    return 200;
  });
  const lost = await runFlowLoop(job);
  t.match(lost.wrongSamples.join(), /connection lost/);
  const other = await serve(t, (n) => {
    if (n === 4) endLoops();
    return 200;
  });
  const { sent, wrong } = await runFlowLoop(other.job);
  t.ok(sent < 6 && wrong === 0);
});
