// Invitations to a cluster: made by the owner of the leader's home, redeemed by the machine that
// joins (behaviour/cluster#operating).

import t from 'tap';
import { type InvitationFacts, readInvitation } from '../../src/cluster/node/invitation-text.ts';
import { clusterInvitationKind } from '../../src/records/cluster-invitation.ts';
import { InviteRefused, inviteNode } from '../../src/resources/controller/cluster-invitations.ts';
import { memberOf } from '../simulated/cluster-servers.ts';
import { bootNetwork } from '../simulated/network.ts';
import { watchedCluster } from '../simulated/watched-cluster.ts';

const minute = 60_000;
const path = 'F:/cluster/redeem-invitation';

/** A network that runs as node n1 of a cluster. */
async function boot() {
  const network = await bootNetwork();
  const others = [
    memberOf('n2', { advertised: 'n2.example:1280' }),
    memberOf('n3', { advertised: 'evil.example:1280', isUnsealed: true }),
  ];
  const keys = { 'API key': 'a1' };
  const old = memberOf('n1', { advertised: 'old.example:1280', keys });
  const watched = watchedCluster([old, ...others]);
  Object.defineProperty(network.env, 'cluster', { value: () => watched });
  const invite = async (node = 'n4'): Promise<InvitationFacts> => {
    const facts = readInvitation((await inviteNode(network.env, node)).text);
    if (facts === undefined) throw new Error('the text cannot be read');
    return facts;
  };
  const redeem = async ({ id, secret }: Pick<InvitationFacts, 'id' | 'secret'>) =>
    await network.call('POST', path, { body: { id, secret }, token: null });
  return { network, invite, redeem };
}

t.test('an invitation gives the keys, once', async (t) => {
  const { network, invite, redeem } = await boot();
  const facts = await invite();
  const { authority } = network.env.addresses;
  t.same(facts.addresses, [authority, 'n2.example:1280'], 'its own, and those nodes vouch for');
  const [root] = network.env.trust.anchors;
  t.equal(facts.pin, `SHA256:${root?.fingerprint256.replaceAll(':', '').toLowerCase()}`);
  t.equal(facts.key, 'a1');
  const stored = JSON.stringify([...network.env.store.table(clusterInvitationKind).all()]);
  t.notMatch(stored, facts.secret, 'the secret is kept nowhere');
  const answer = await redeem(facts);
  t.equal(answer.status, 200);
  const base64 = Buffer.from('a CA').toString('base64');
  t.same(answer.data, { files: [{ name: 'ca.pem', base64 }] });
  t.equal(answer.headers['cache-control'], 'no-store');
  t.match(await redeem(facts), { status: 401 });
  await network.stop();
});

t.test('it is over after half an hour, and after five wrong secrets', async (t) => {
  const { network, invite, redeem } = await boot();
  const late = await invite();
  await network.advance(30 * minute);
  t.match(await redeem(late), { status: 401 });
  const tried = await invite();
  const wrong = { id: tried.id, secret: 'wrong' };
  for (let tries = 0; tries < 4; tries++) t.match(await redeem(wrong), { status: 401 });
  t.match(await redeem(tried), { status: 200 }, 'four are not five');
  const gone = await invite();
  for (let tries = 0; tries < 5; tries++) await redeem({ id: gone.id, secret: 'wrong' });
  t.match(await redeem(gone), { status: 401 });
  t.match(await redeem({ id: 'no-such-id', secret: gone.secret }), { status: 401 });
  await network.stop();
});

t.test('sixteen may be open', async (t) => {
  const { network, invite, redeem } = await boot();
  const open: InvitationFacts[] = [];
  for (let count = 0; count < 16; count++) open.push(await invite(`n${count}`));
  await t.rejects(invite(), InviteRefused);
  for (const one of open.slice(0, 1)) t.match(await redeem(one), { status: 200 });
  await invite();
  await network.advance(30 * minute);
  await invite();
  t.equal([...network.env.store.table(clusterInvitationKind).all()].length, 1, 'old ones go');
  await network.stop();
});

t.test('without a cluster there is nothing to redeem', async (t) => {
  const network = await bootNetwork();
  const body = { id: 'a', secret: 'b' };
  t.match(await network.call('POST', path, { body, token: null }), { status: 400 });
  await network.stop();
});

t.test('only the text of an invitation is read as one', async (t) => {
  const { network } = await boot();
  const { text } = await inviteNode(network.env, 'n4');
  t.equal(readInvitation(text)?.addresses.length, 2);
  const prefix = text.slice(0, text.indexOf('.', 'edge-control-invitation'.length) + 1);
  const written = (value: unknown) =>
    `${prefix}${Buffer.from(JSON.stringify(value)).toString('base64url')}`;
  for (const wrong of [
    '',
    text.slice(1),
    prefix,
    `${prefix}e30`,
    `${prefix}!`,
    `${text}${'A'.repeat(20_000)}`,
    written(null),
    written({ addresses: [], pin: '', key: '', id: '', secret: '' }),
    written({ addresses: [7], pin: '', key: '', id: '', secret: '' }),
    written({ addresses: ['a:1'], pin: '', id: '', secret: '' }),
    written({ addresses: ['a:1'], pin: '', key: '', id: '', secret: 7 }),
  ]) {
    t.equal(readInvitation(wrong), undefined, wrong.slice(0, 80));
  }
  await network.stop();
});
