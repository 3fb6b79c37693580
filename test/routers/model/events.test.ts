// The encoded events of the router data model, and the messages that hold them.

import t from 'tap';
import { edge, encodeMessage } from '../../../src/channel/messages/messages.ts';
import {
  changeSetBody,
  deletion,
  eventFieldBytes,
  ModelEvents,
  relation,
  stateFields,
  statePlace,
  validateBody,
} from '../../../src/routers/model/events.ts';
import * as fc from '../../properties.ts';
import { bootNetwork, noTraffic } from '../../simulated/network.ts';

const id = fc.string({ minLength: 1, maxLength: 40 });

const event = fc.oneof(
  id.map((one) => deletion('service', one)),
  fc
    .tuple(id, fc.array(id, { maxLength: 300 }), fc.boolean())
    .map(([policy, ids, add]) => relation(policy, 'identity', ids, add)),
);

t.test('bodies hold the events in their order', async () => {
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 20 }),
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
      (events, index, previousIndex) => {
        const again = (decoded: readonly edge.Event.$Properties[]) =>
          decoded.map((one) => encodeMessage(edge.Event, one).toString('hex')).join();
        const wanted = events.map((one) => one.toString('hex')).join();
        const set = edge.ChangeSet.decode(changeSetBody({ index, previousIndex }, events));
        const place = { endIndex: index, timelineId: 'line' };
        const parts = [stateFields(events), statePlace(place)];
        const state = edge.DataState.decode(Buffer.concat(parts));
        const asked = edge.RouterDataModelValidateRequest.decode(validateBody(parts));
        return (
          again(set.changes) === wanted &&
          set.index === index &&
          set.previousIndex === previousIndex &&
          again(state.events) === wanted &&
          state.endIndex === index &&
          state.timelineId === 'line' &&
          again(asked.state?.events ?? []) === wanted
        );
      },
    ),
  );
});

t.test('the bytes of fields are those of the events', async () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), (events) => {
      const sum = events.reduce((bytes, one) => bytes + eventFieldBytes(one), 0);
      return stateFields(events).length === sum;
    }),
  );
});

t.test('values of posture checks that routers compare as they are', async (t) => {
  const network = await bootNetwork({ traffic: noTraffic });
  const events = new ModelEvents(network.env.store);
  const shown = async (body: object) => {
    const check = await network.create('posture-checks', body);
    return edge.Event.decode(events.creation('postureCheck', check) ?? Buffer.alloc(0))
      .postureCheck;
  };
  const mac = await shown({ name: 'mac', typeId: 'MAC', macAddresses: ['00:1A:2b:3c:4d:5e'] });
  t.strictSame(mac?.mac?.macAddresses, ['001a2b3c4d5e', '00:1a:2b:3c:4d:5e', '00-1a-2b-3c-4d-5e']);
  const systems = [
    { type: 'Linux', versions: [] },
    { type: 'macOS', versions: ['>=12.0.0'] },
  ];
  const os = await shown({ name: 'os', typeId: 'OS', operatingSystems: systems });
  t.strictSame(
    os?.osList?.osList?.map((one) => [one.OsType, one.OsVersions]),
    [
      ['Linux', ['>=0.0.0']],
      ['macOS', ['>=12.0.0']],
    ],
  );
  const process = { osType: 'Linux', path: '/bin/x', hashes: ['AB:CD'], signerFingerprint: '' };
  const one = await shown({ name: 'process', typeId: 'PROCESS', process });
  t.strictSame(one?.process?.Hashes, ['AB:CD', 'abcd']);
  t.strictSame([...(one?.process?.Fingerprints ?? [])], []);
  const mfa = await shown({ name: 'mfa', typeId: 'MFA', timeoutSeconds: -1, promptOnWake: true });
  t.equal(Number(mfa?.mfa?.TimeoutSeconds), -1);
  t.equal(mfa?.mfa?.PromptOnWake, true);
  const domains = await shown({ name: 'domain', typeId: 'DOMAIN', domains: ['a.example'] });
  t.strictSame(domains?.domains?.domains, ['a.example']);
  await network.stop();
});
