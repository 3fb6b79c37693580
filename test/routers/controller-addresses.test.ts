// Where routers are told to find a cluster: under one id, at the addresses of all its nodes.

import t from 'tap';
import { contentTypes } from '../../src/channel/content-types.ts';
import { headerKeys, textHeader } from '../../src/channel/headers.ts';
import { decodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import type { NodeState } from '../../src/cluster/cluster-node.ts';
import type { Member } from '../../src/cluster/membership.ts';
import type { WatchedCluster } from '../../src/cluster/node/watch.ts';
import { memberOf } from '../simulated/cluster-servers.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';
import type { RouterTwin } from '../simulated/router-twin.ts';
import { Fleet } from './fleet.ts';

const own = 'tls:localhost:6262';

/**
 * Makes the controller of a network the node n2 of a cluster.
 * @returns sets the other nodes, and has this one leave
 */
function lead(network: Network, ...others: readonly Member[]) {
  const listeners: (() => void)[] = [];
  let isLeaving = false;
  let members = [...others, memberOf('n2')];
  network.core.sources.cluster = {
    id: 'n2',
    state: { role: 'leading' } as NodeState,
    roleSinceMs: 0,
    get members() {
      return members;
    },
    clockSkewMsMax: 500,
    isAway: ({ id }) => id === 'n1',
    keyFiles: () => new Map(),
    get isLeaving() {
      return isLeaving;
    },
    membersProblem: () => '',
    isShort: false,
    sharedAgeMs: undefined,
    storeProblem: () => '',
    stepDown: () => undefined,
    onMembersRead: (listener) => void listeners.push(listener),
  } satisfies WatchedCluster;
  const told = () => {
    for (const listener of listeners) listener();
  };
  const become = (...next: readonly Member[]) => {
    members = [...next, memberOf('n2')];
    told();
  };
  const leave = () => {
    isLeaving = true;
    told();
  };
  return Object.assign(become, { leave });
}

function toldTo(twin: RouterTwin) {
  return twin.received
    .filter(({ contentType }) => contentType === contentTypes.updateCtrlAddresses)
    .map(({ body }) => decodeMessage(fabric.UpdateCtrlAddresses, body));
}

const at = (id: string, control?: string) => memberOf(id, { control });

t.test('an address for which no node vouches is told to no router', async (t) => {
  const network = await bootNetwork();
  const stranger = memberOf('n1', { control: 'tls:evil.example:6262', isUnsealed: true });
  lead(network, stranger, at('n3', 'tls:n3.example:6262'));
  const fleet = new Fleet(network);
  const { twin } = await fleet.connect(await fleet.router('edge'));
  t.match(toldTo(twin), [{ addresses: [own, 'tls:n3.example:6262'] }]);
});

t.test('a router is told the addresses of all nodes under one id', async (t) => {
  const network = await bootNetwork();
  lead(network, at('n3', 'tls:n3.example:6262'), at('n1', 'tls:n1.example:6262'), at('n4'));
  const fleet = new Fleet(network);
  const { twin } = await fleet.connect(await fleet.router('edge'));
  const addresses = ['tls:n1.example:6262', own, 'tls:n3.example:6262'];
  t.match(toldTo(twin), [
    {
      addresses,
      isLeader: true,
      controllers: [
        {
          id: network.core.authority.controllerId,
          endpoints: addresses.map((address) => ({ address })),
        },
      ],
    },
  ]);
  await network.stop();
});

t.test('routers go on knowing the controller by the id that it had before', async (t) => {
  const network = await bootNetwork();
  const { pki } = network.config;
  network.config = { ...network.config, pki: { ...pki, controllerId: 'ctrl-1' } };
  await network.restart();
  const fleet = new Fleet(network);
  const { twin } = await fleet.connect(await fleet.router('edge'));
  t.match(toldTo(twin), [{ controllers: [{ id: 'ctrl-1' }] }]);
  t.equal(textHeader(twin.result?.headers ?? new Map(), headerKeys.id), 'ctrl-1');
  t.match(await network.must('GET', 'M:/controllers'), [{ id: 'ctrl-1' }]);
  await network.stop();
});

t.test('routers are told once more when the nodes change, under a greater index', async (t) => {
  const network = await bootNetwork();
  const become = lead(network, at('n1', 'tls:n1.example:6262'));
  const fleet = new Fleet(network);
  const { twin } = await fleet.connect(await fleet.router('edge'));
  become(at('n1', 'tls:n1.example:6262'), at('n3', 'tls:n3.example:6262'));
  await fleet.settle();
  become(at('n3', 'tls:n3.example:6262'), at('n1', 'tls:n1.example:6262'));
  await fleet.settle();
  const told = toldTo(twin);
  t.equal(told.length, 2, 'an equal list is not sent');
  const [first, second] = told.map(({ index }) => Number(index));
  t.equal(second, (first ?? 0) + 1);
  t.same(told[1]?.addresses, ['tls:n1.example:6262', own, 'tls:n3.example:6262']);
  const later = await fleet.connect(await fleet.router('later'));
  t.match(toldTo(later.twin), [{ addresses: told[1]?.addresses, index: told[1]?.index }]);
  await network.stop();
});

t.test('a node that is about to end is told to no router, unless it is the only one', async (t) => {
  const network = await bootNetwork();
  const become = lead(network, at('n3', 'tls:n3.example:6262'));
  const fleet = new Fleet(network);
  const { twin } = await fleet.connect(await fleet.router('edge'));
  become.leave();
  await fleet.settle();
  // The other one is about to end, too.
  become(at('n3'));
  await fleet.settle();
  t.same(
    toldTo(twin).map(({ addresses }) => addresses),
    [[own, 'tls:n3.example:6262'], ['tls:n3.example:6262'], [own]],
  );
  await network.stop();
});

t.test('nodes that share an address are told as one', async (t) => {
  const network = await bootNetwork();
  lead(network, at('n1', own), at('n3', own));
  const fleet = new Fleet(network);
  const { twin } = await fleet.connect(await fleet.router('edge'));
  t.match(toldTo(twin), [{ addresses: [own] }]);
  await network.stop();
});

t.test('the enrollment JWT of a router and the list of controllers name them', async (t) => {
  const network = await bootNetwork();
  lead(network, at('n1', 'tls:n1.example:6262'));
  const id = await network.create('edge-routers', { name: 'edge' });
  const { enrollmentJwt } = await network.must<{ enrollmentJwt: string }>(
    'GET',
    `M:/edge-routers/${id}`,
  );
  const [, claims = ''] = enrollmentJwt.split('.');
  t.match(JSON.parse(Buffer.from(claims, 'base64url').toString()), {
    ctrls: ['tls:n1.example:6262', own],
  });
  const listed = await network.must<{ ctrlAddress: string }[]>('GET', 'M:/controllers');
  t.same(
    listed.map(({ ctrlAddress }) => ctrlAddress),
    ['tls:n1.example:6262', own],
  );
  const shown = await network.must<{ ctrlAddress: string }[]>('GET', 'C:/controllers');
  t.same(
    shown.map(({ ctrlAddress }) => ctrlAddress),
    ['', ''],
    'clients learn nothing of the control plane',
  );
  await network.stop();
});
