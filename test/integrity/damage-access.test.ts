// Damage to what access keeps of members and policies: found by comparing it with access made from
// the records, and rebuilt from them.

import t from 'tap';
import type { MemberTable } from '../../src/access/members.ts';
import type { PolicyTable } from '../../src/access/policies.ts';
import { Scene as LiveScene } from '../posture/live-scene.ts';
import { type Damage, testDamages } from './damages.ts';
import { guard, guardedPolicy, vaultId, vaultSessions } from './guarded.ts';
import { rowOf, type Scene, tableOf } from './scene.ts';

const identities = ({ network }: Scene): MemberTable =>
  network.env.access.internals.members.identity;
const servicePolicies = ({ network }: Scene): PolicyTable =>
  network.env.access.internals.policies.servicePolicy;

function mayDial({ network, ids }: Scene): boolean {
  const alice = rowOf(network, 'identity', ids.alice).slot;
  return network.env.access.mayDial(alice, rowOf(network, 'service', ids.crm).slot);
}

const asBefore = (scene: Scene) => void t.ok(mayDial(scene));

const damages: readonly Damage[] = [
  {
    what: 'a policy is not found by an attribute',
    do(scene) {
      const { familyIndex } = servicePolicies(scene);
      identities(scene).attribute('eu')?.namedBy?.[familyIndex]?.delete(1);
    },
    found: [/^access: servicePolicy .+ is known with other identity roles than the records have$/],
    after: asBefore,
  },
  {
    what: 'a right is remembered that nothing gives',
    async do(scene) {
      const { network, ids } = scene;
      const { slot } = rowOf(network, 'identity', ids.alice);
      network.env.access.policiesOf('identity', slot, 'servicePolicy');
      const own =
        identities(scene).classAt(slot)?.policies?.own[servicePolicies(scene).familyIndex];
      (own as number[]).push(1);
      // Who lives by it meanwhile must not go on.
      const live = new LiveScene(network);
      live.reportDomain({ id: ids.alice }, 'a.b');
      const { token } = await live.logIn('alice');
      const body = { serviceId: ids.mail, type: 'Bind' };
      await network.must('POST', 'C:/sessions', body, token);
    },
    found: [/^access: identity .+ is known with other servicePolicy links than the records have$/],
    frames: 1,
    after: ({ network, ids }) => {
      t.equal(tableOf(network, 'session').group('serviceId').count(ids.mail), 0, 'it has ended');
      const alice = rowOf(network, 'identity', ids.alice).slot;
      t.notOk(network.env.access.mayBind(alice, rowOf(network, 'service', ids.mail).slot));
    },
  },
  {
    what: 'a policy allows more than it says',
    do: (scene) => void (servicePolicies(scene).flags[0] = 3),
    found: [/^access: servicePolicy .+ is known with other permissions than the records have$/],
    after: asBefore,
  },
  {
    what: 'a policy counts for every pair',
    do: (scene) => void (servicePolicies(scene).everyPair[2] = 1),
    found: [/^access: servicePolicy is known with other counts than the records have$/],
    after: asBefore,
  },
  {
    what: 'a policy is not there',
    do: (scene) => void ((servicePolicies(scene).list as unknown[])[0] = undefined),
    found: [/^access: servicePolicy .+ is known with other permissions than the records have$/],
    after: asBefore,
  },
  {
    what: 'a member is of the class of another',
    do(scene) {
      const { network, ids } = scene;
      const [alice, bob] = [ids.alice, ids.bob].map((id) => rowOf(network, 'identity', id).slot);
      const classOf = identities(scene).classOf;
      classOf[bob ?? 0] = classOf[alice ?? 0] ?? 0;
    },
    found: [/^access: identity .+ is known with other role attributes than the records have$/],
    after: asBefore,
  },
  {
    what: 'a member is of no class',
    do(scene) {
      const { network, ids } = scene;
      identities(scene).classOf[rowOf(network, 'identity', ids.alice).slot] = 0;
    },
    found: [
      /^access: identity .+ is known with other role attributes than the records have$/,
      /^session .+ has lost the owner or the access .+, and no reader sees it: fix access/,
    ],
    after: asBefore,
  },
  {
    what: 'a class is gone',
    do(scene) {
      const { network, ids } = scene;
      const found = identities(scene).classAt(rowOf(network, 'identity', ids.alice).slot);
      (identities(scene).classes.list as unknown[])[found?.index ?? 0] = undefined;
    },
    found: [/^access: it cannot be read: access: there is no class \d+$/],
    after: asBefore,
  },
  {
    what: 'the list of a class leads elsewhere',
    do(scene) {
      const { network, ids } = scene;
      identities(scene).previous[rowOf(network, 'identity', ids.alice).slot] = 3;
    },
    found: [
      /^access: identity .+ is known with other neighbours in its class than the records have$/,
    ],
    after: asBefore,
  },
  {
    what: 'an attribute has lost its classes, and counts too many',
    do(scene) {
      const attribute = identities(scene).attribute('sales');
      if (attribute !== undefined) attribute.members += 1;
      attribute?.classes?.delete(attribute.classes.toArray()[0] ?? 0);
    },
    found: [/^access: role attribute sales of identity is known with other member counts than/],
    after: asBefore,
  },
  {
    what: 'an id is known in another slot',
    do({ network, ids }) {
      const mention = network.env.access.internals.members.service.mention(ids.mail);
      if (mention !== undefined) mention.slot = 0;
    },
    found: [/^access: id .+ of service is known with other slots than the records have$/],
    after: asBefore,
  },
  {
    what: 'a router is remembered that no policy gives',
    do(scene) {
      const { network, ids } = scene;
      const { slot } = rowOf(network, 'identity', ids.alice);
      network.env.access.routers.of('identity', slot);
      identities(scene).classAt(slot)?.policies?.routers?.words.fill(0);
    },
    found: [/^access: identity .+ is known with other routers than the records have$/],
    after({ network, ids }) {
      const { slot } = rowOf(network, 'identity', ids.alice);
      t.same([...network.env.access.routers.of('identity', slot)], [0]);
    },
  },
];

testDamages(t, damages);

testDamages(t, [
  {
    what: 'a policy has lost a check: who was let in without it must go',
    prepare: guard,
    async do(scene) {
      const { network } = scene;
      const { sides = [] } = servicePolicies(scene).at(guardedPolicy(scene)) ?? {};
      const checks = sides.find(({ space }) => space === 'postureCheck');
      (checks?.selection.attributes as unknown[]).length = 0;
      network.env.posture.forget();
      const live = new LiveScene(network);
      await live.dial(await live.person('carol', { roleAttributes: ['sales'] }), vaultId(scene));
      t.equal(vaultSessions(scene), 3);
    },
    found: [
      /^access: servicePolicy .+ is known with other postureCheck roles than the records have$/,
    ],
    frames: 1,
    after: (scene) => void t.equal(vaultSessions(scene), 2),
  },
]);
