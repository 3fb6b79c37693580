// Damage to records themselves: repaired by ordinary logged transactions if their contents say how.

import t from 'tap';
import type { MfaEnrollmentRecord } from '../../src/records/mfa-enrollment.ts';
import type { RecordBase, Row } from '../../src/store/record.ts';
import { type Damage, testDamages } from './damages.ts';
import { guard, ownRow, proven } from './guarded.ts';
import { lose, rowOf, type Scene, slip, tableOf } from './scene.ts';

const damages: readonly Damage[] = [
  {
    what: 'the owner of a session and of an authenticator is lost',
    do: ({ network, ids }) => lose(network, 'identity', ids.alice),
    found: [
      /^apiSession .+: identityId refers to the identity .+, which is not there$/,
      /^authenticator .+: identityId refers to the identity .+, which is not there$/,
      /^session .+: identityId refers to the identity .+, which is not there$/,
    ],
    // The session goes with its API session.
    frames: 2,
    after({ network, ids }) {
      t.equal(tableOf(network, 'session').peek(ids.session), undefined);
      t.equal(tableOf(network, 'apiSession').peek(ids.apiSession), undefined);
    },
  },
  {
    what: 'somebody that policies name is lost',
    do: ({ network, ids }) => lose(network, 'service', ids.mail),
    found: [/^servicePolicy .+: serviceRoles refers to the service .+, which is not there$/],
    frames: 1,
    after({ network, ids }) {
      t.match(rowOf(network, 'servicePolicy', ids.bindPolicy).record, { serviceRoles: [] });
    },
  },
  {
    what: 'an auth policy is lost',
    do({ network, ids }) {
      const row = rowOf(network, 'identity', ids.alice);
      const after = { ...row.record, authPolicyId: 'lost' };
      tableOf(network, 'identity').write(ids.alice, after);
    },
    found: [
      /^identity .+: authPolicyId refers to the authPolicy lost, .+: give it another authPol/,
    ],
    left: [/^identity .+: authPolicyId refers to the authPolicy lost, .+: give it another authPol/],
  },
  {
    what: 'two records have one name',
    async prepare({ network }) {
      // The one that is renamed stands behind the other in the order by name and id, also then.
      const first = await network.create('identities', person('zoe'));
      for (twin = ''; twin <= first; ) {
        if (twin !== '') await network.must('DELETE', `M:/identities/${twin}`);
        twin = await network.create('identities', person('zora'));
      }
    },
    do: ({ network }) => slip(rowOf(network, 'identity', twin), { name: 'zoe' }),
    found: [
      /^index of identity by name: an entry leads to .+, which has no such key$/,
      /^identity .+: name zoe is also that of .+: give one of the two another name, or delete/,
    ],
    left: [/^identity .+: name zoe is also that of .+: give one of the two another name/],
  },
  {
    what: 'a state that its machine does not have',
    do: ({ network, ids }) => slip(rowOf(network, 'router', ids.router), { state: 'adrift' }),
    found: [/^router .+: state is "adrift", which is no state of its machine: delete it, or rest/],
    left: [/^router .+: state is "adrift"/],
  },
  {
    what: 'a verified router without a certificate',
    do: ({ network, ids }) => slip(rowOf(network, 'router', ids.router), { state: 'verified' }),
    found: [/^router .+ is verified, and has no certificate$/],
    frames: 1,
    after({ network, ids }) {
      t.match(rowOf(network, 'router', ids.router).record, { state: 'unverified' });
    },
  },
  {
    what: 'an enabled identity with the end of a period',
    do({ network, ids }) {
      const row = rowOf(network, 'identity', ids.bob);
      slip(row, { disabledUntil: network.clock.now() + 1000 });
    },
    found: [
      /^identity .+ is enabled, and has the times of a disabled one$/,
      /^deadlines: identity .+ waits for .+ and its deadline is missing$/,
    ],
    frames: 1,
    after({ network, ids }) {
      t.match(rowOf(network, 'identity', ids.bob).record, { disabledUntil: undefined });
    },
  },
  {
    what: 'an identity that is disabled since no time',
    do: ({ network, ids }) => slip(rowOf(network, 'identity', ids.bob), { state: 'disabled' }),
    found: [/^identity .+ is disabled, and does not say since when: delete it, or restore/],
    left: [/^identity .+ is disabled, and does not say since when: delete it, or restore/],
  },
  {
    what: 'an authenticator that waits for no certificate',
    do({ network, ids }) {
      const table = tableOf(network, 'authenticator');
      const [row] = table.group('identityId').rows(ids.bob);
      if (row === undefined) return;
      const pending = { method: 'cert', state: 'certificate:pending,life:existing' };
      const cause = { actor: 'test', requestId: '', operation: 'test' };
      network.env.store.transact(cause, (tx) => tx.put(table, { ...row.record, ...pending }));
    },
    found: [/^authenticator .+ waits for a certificate that it does not have$/],
    frames: 1,
  },
  {
    what: 'a password with the state of a certificate',
    do({ network, ids }) {
      const [row] = tableOf(network, 'authenticator').group('identityId').rows(ids.bob);
      if (row !== undefined) slip(row, { state: 'certificate:pending,life:existing' });
    },
    found: [/^authenticator .+ is in the state certificate:pending,.+, which is not one of updb$/],
    frames: 1,
  },
  {
    what: 'an enrollment without its time',
    do({ network, ids }) {
      slip(rowOf(network, 'enrollment', ids.enrollment), { expiresAt: undefined });
    },
    found: [
      /^enrollment .+ never expires: delete it/,
      /^deadlines: there is one for enrollment .+, which waits for nothing$/,
    ],
    left: [/^enrollment .+ never expires: delete it/],
  },
  {
    what: 'a field is lost',
    do: ({ network, ids }) => slip(rowOf(network, 'service', ids.crm), { updatedAt: 'x' }),
    found: [/^service .+: updatedAt is no time: give it another updatedAt/],
    left: [/^service .+: updatedAt is no time/],
  },
  {
    what: 'a session whose policy is lost',
    do: ({ network, ids }) => lose(network, 'servicePolicy', ids.dialPolicy),
    found: [
      /^session .+ has lost the owner or the access that it rests on, and no reader sees it$/,
    ],
    frames: 1,
    after: ({ network, ids }) => void t.notOk(tableOf(network, 'session').peek(ids.session)),
  },
];

const enrollmentOf = (scene: Scene) => ownRow(scene, 'mfaEnrollment', scene.ids.alice);

function move(scene: Scene, row: Row, kind: string, identityId: string): void {
  tableOf(scene.network, kind).write(row.record.id, { ...row.record, identityId } as RecordBase);
}

const guardedDamages: readonly Damage[] = [
  {
    what: 'posture data and second factors are of nobody',
    do(scene) {
      move(scene, ownRow(scene, 'postureData', scene.ids.alice), 'postureData', 'lost');
      move(scene, ownRow(scene, 'mfaEnrollment', scene.ids.bob), 'mfaEnrollment', 'lost');
    },
    found: [
      /^mfaEnrollment .+: identityId refers to the identity lost, which is not there$/,
      /^postureData .+: identityId refers to the identity lost, which is not there$/,
      // That of bob, who has no verified enrollment now.
      /^session .+ has lost the owner or the access that it rests on, and no reader sees it$/,
    ],
    frames: 3,
    after({ network }) {
      t.equal(tableOf(network, 'postureData').size, 1);
      t.equal(tableOf(network, 'mfaEnrollment').size, 1);
    },
  },
  {
    what: 'an identity has second factors twice, and posture data',
    do(scene) {
      const { bob: of, alice: identityId } = scene.ids;
      slip(ownRow(scene, 'mfaEnrollment', of), { identityId });
      slip(ownRow(scene, 'postureData', of), { identityId });
    },
    found: [
      /^index of mfaEnrollment by identityId: an entry leads to .+, which has no such key$/,
      /^index of mfaEnrollment by identityId: .+ is not found$/,
      /^index of postureData by identityId: an entry leads to .+, which has no such key$/,
      /^index of postureData by identityId: .+ is not found$/,
      /^mfaEnrollment .+: identityId .+ is also that of .+: give one of the two another identityId/,
      /^postureData .+: identityId .+ is also that of .+: give one of the two another identityId/,
    ],
    // With the indexes put right bob has none, and the session of bob goes.
    frames: 1,
    left: [/^mfaEnrollment .+: identityId .+ is also/, /^postureData .+: identityId .+ is also/],
  },
  {
    what: 'second factors in a state that their machine does not have',
    do: (scene) => slip(enrollmentOf(scene), { state: 'half' }),
    found: [
      /^mfaEnrollment .+: state is "half", which is no state of its machine: delete it/,
      /^session .+ has lost the owner or the access that it rests on, and no reader sees it$/,
    ],
    frames: 1,
    left: [/^mfaEnrollment .+: state is "half", which is no state of its machine: delete it/],
  },
  {
    what: 'second factors without their secret',
    do: (scene) => slip(enrollmentOf(scene), { secret: undefined }),
    found: [
      /^mfaEnrollment .+: secret is missing: give it another secret, or delete it$/,
      /^mfaEnrollment .+: its secret cannot be opened: put the pki\/sealing\.key back/,
    ],
    left: [/secret is missing/, /its secret cannot be opened/],
  },
  {
    what: 'secrets that the key of the home does not open',
    do(scene) {
      const other = ownRow(scene, 'mfaEnrollment', scene.ids.bob);
      // Right for its own enrollment, and for no other one.
      const { secret } = other.record as unknown as MfaEnrollmentRecord;
      slip(enrollmentOf(scene), { secret });
      slip(other, { recoveryCodes: 'AAAA' });
    },
    found: [
      /^mfaEnrollment .+: its secret cannot be opened: put .+, or remove the MFA of its identity/,
      /^mfaEnrollment .+: its recovery codes cannot be opened: put .+, or remove the MFA of its/,
    ],
    left: [/: its secret cannot be opened: /, /: its recovery codes cannot be opened: /],
  },
  {
    what: 'a stamp that is no time',
    do: (scene) => slip(proven(scene)[0], { wokenAt: 'yesterday' }),
    found: [
      /^expiries: apiSession .+ has another place in the order by wokenAt than its time$/,
      /^apiSession .+: wokenAt is no datetime: give it another wokenAt/,
    ],
    left: [/^apiSession .+: wokenAt is no datetime: give it another wokenAt/],
  },
];

/** Of an identity that gets the name of another. */
let twin = '';
const person = (name: string) => ({ name, type: 'Default', isAdmin: false });

testDamages(t, [...damages, ...guardedDamages.map((damage) => ({ ...damage, prepare: guard }))]);
