// Orders to the node that runs: only the leader carries them out, and everybody says why not.

import t from 'tap';
import {
  answerNodeOrder,
  type NodeOrder,
  type OrderedNode,
  readNodeOrder,
} from '../../../src/assembly/owner-orders.ts';
import type { NodeState } from '../../../src/cluster/cluster-node.ts';
import { finalizeUpgrade, stepDown } from '../../../src/commands/cluster/running-node.ts';
import { firstNode } from './simulated-command.ts';

const leading: NodeState = {
  role: 'leading',
  generation: 1,
  term: 3,
  last: { lsn: 9, crc: 1 },
  sequence: 12,
  leaderId: 'n1',
  lagMs: 0,
  inFlight: 0,
  clockSkewMs: 0,
  takeovers: 0,
  trouble: undefined,
  localLog: undefined,
};

/** The answer of every order has left. */
const answered = Promise.resolve();

function node(state: Partial<NodeState> = {}, fault?: Error) {
  const calls: string[] = [];
  const noted = (name: string) => async () => {
    calls.push(name);
    if (fault !== undefined) throw fault;
    return undefined;
  };
  const ordered: OrderedNode = {
    state: { ...leading, ...state },
    stepDown: noted('stepDown'),
    finalize: noted('finalize'),
  };
  return { ordered, calls };
}

t.test('orders are read', async (t) => {
  t.equal(readNodeOrder({ order: 'clusterStepDown' }), 'clusterStepDown');
  t.equal(readNodeOrder({ order: 'clusterFinalize' }), 'clusterFinalize');
  for (const none of [undefined, null, 'clusterStepDown', {}, { order: 'resetAdministrator' }]) {
    t.equal(readNodeOrder(none), undefined);
  }
});

t.test('the leader carries them out', async (t) => {
  const { ordered, calls } = node();
  t.same(await answerNodeOrder(ordered, 'clusterStepDown', answered), {
    done: 'This node has led up to term 3 and starts again as a follower.',
  });
  t.match(await answerNodeOrder(ordered, 'clusterFinalize', answered), { done: /newest formats/ });
  t.same(calls, ['stepDown', 'finalize']);
});

t.test('refusals', async (t) => {
  t.same(await answerNodeOrder(undefined, 'clusterStepDown', answered), {
    refused: 'This controller runs in no cluster.',
  });
  const follower = node({ role: 'following', leaderId: 'n2' });
  t.same(await answerNodeOrder(follower.ordered, 'clusterStepDown', answered), {
    refused: 'This node does not lead: node n2 does. Give the order there.',
  });
  const none = node({ role: 'standing', leaderId: undefined });
  t.match(await answerNodeOrder(none.ordered, 'clusterFinalize', answered), {
    refused: /no node leads/,
  });
  t.same([...follower.calls, ...none.calls], []);
  const failing = node({}, new Error('contact is lost'));
  t.same(await answerNodeOrder(failing.ordered, 'clusterStepDown', answered), {
    refused: 'It failed: contact is lost.',
  });
});

async function setting() {
  const { one } = await firstNode();
  const { ordered, calls } = node();
  const send = (order: NodeOrder) => answerNodeOrder(ordered, order.order, answered);
  return { one, calls, send };
}

t.test('step-down prints the answer', async (t) => {
  const { one, send } = await setting();
  t.equal(await stepDown(one, send), true);
  t.match(one.said, [/^This node has led/]);
  t.equal(await stepDown(one, async () => ({ refused: 'It is busy.' })), false);
  t.equal(one.said[1], 'It is busy.');
  await t.rejects(
    stepDown(one, () => Promise.reject(new Error('ENOENT'))),
    {
      message: /^No controller answers on this home: ENOENT\. Give the order on the machine/,
    },
  );
});

t.test('finalize prints why it must not be', async (t) => {
  const { one, calls, send } = await setting();
  t.equal(await finalizeUpgrade(one, send), true);
  t.same(calls, ['finalize']);
  const older = { ...node().ordered, finalize: async () => 'n2 runs 0.9.0.' };
  t.equal(
    await finalizeUpgrade(one, ({ order }) => answerNodeOrder(older, order, answered)),
    false,
  );
  t.equal(one.said.at(-1), 'n2 runs 0.9.0.');
});
