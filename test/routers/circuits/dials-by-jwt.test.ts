// Clients that logged in by OIDC dial: with a session as others do, and without one.

import t, { type Test } from 'tap';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { encodeHeaders, textValue } from '../../../src/channel/headers.ts';
import { claimsIn, OidcClient, type Tokens } from '../../oidc/oidc-client.ts';
import { twinMessages } from '../../simulated/router-twin.ts';
import { CircuitWorld, routesOf, unroutesOf } from './world.ts';

interface Scene {
  readonly world: CircuitWorld;
  readonly client: OidcClient;
  readonly tokens: Tokens;
}

async function boot(): Promise<Scene> {
  const world = await CircuitWorld.boot(1);
  await world.terminator('r1');
  const client = new OidcClient(world.network);
  return { world, client, tokens: await client.tokens('client', 'client-password') };
}

/** Asks for a circuit without a session. */
function dial(
  { world, tokens }: Scene,
  more: { token?: string; identityId?: string; serviceId?: string } = {},
): void {
  const { token = tokens.access_token, ...others } = more;
  const asked = { identityId: world.id('client'), serviceId: world.id('service'), ...others };
  const message = twinMessages.createCircuitByJwt({ accessToken: token, ...asked });
  world.receive(world.router('r1'), message);
}

/** A circuit that is active; its id. */
function circuit(scene: Scene): string {
  dial(scene);
  const id = routesOf(scene.world.router('r1')).at(-1)?.circuitId ?? '';
  scene.world.answerRoutes(['r1']);
  return id;
}

const ended = async (t: Test, { world }: Scene, id: string, what: string) => {
  await world.network.clock.settle();
  t.same(unroutesOf(world.router('r1')).at(-1), `${id} now`, what);
};

t.test('a dial without a session', async (t) => {
  const scene = await boot();
  const { world, tokens } = scene;
  const id = circuit(scene);
  t.equal(world.answer('r1')?.contentType, contentTypes.createCircuitV3Response);
  t.equal(world.answer('r1')?.headers.get(11)?.toString(), id);
  const { z_asid } = claimsIn(tokens.access_token);
  t.match(world.live(id), { sessionId: undefined, apiSessionId: z_asid, state: 'active' });
  await world.network.stop();
});

t.test('what it is refused for', async (t) => {
  const scene = await boot();
  const { world, client, tokens } = scene;
  const other = await world.network.createUser('other', 'other-password');
  const refusedFor = (more: Parameters<typeof dial>[1]) => {
    dial(scene, more);
    return world.refusal('r1')?.[0];
  };
  t.equal(refusedFor({ identityId: other }), 2, 'the token of another client');
  t.equal(refusedFor({ token: tokens.refresh_token }), 2);
  t.equal(refusedFor({ token: tokens.id_token }), 2);
  t.equal(refusedFor({ token: world.id('token') }), 2, 'an opaque token');
  t.equal(refusedFor({ token: '' }), 2);
  t.equal(refusedFor({ serviceId: 'none' }), 6);
  await world.network.must('DELETE', `M:/service-policies/${world.id('dial policy')}`);
  t.equal(refusedFor({}), 6, 'no policy');
  await client.call('DELETE', 'C:/current-api-session', tokens.access_token);
  t.equal(refusedFor({}), 2, 'it has logged out');
  await world.network.stop();
});

t.test('a dial with a session', async (t) => {
  const { world, client, tokens } = await boot();
  const body = { serviceId: world.id('service'), type: 'Dial' };
  const made = await client.call('POST', 'C:/sessions', tokens.access_token, { body });
  const { token } = made.data as { token: string };
  world.receive(world.router('r1'), {
    contentType: contentTypes.createCircuitV2,
    headers: encodeHeaders([
      [11, textValue(token)],
      [14, textValue(tokens.access_token)],
    ]),
  });
  world.answerRoutes(['r1']);
  t.equal(world.answer('r1')?.contentType, contentTypes.createCircuitV2Response);
  const path = `C:/services/${world.id('service')}/edge-routers?sessionToken=${token}`;
  t.equal((await client.call('GET', path, tokens.access_token)).status, 200);
  await world.network.stop();
});

t.test('posture of a client that reports it to routers', async (t) => {
  const scene = await boot();
  const { world, client, tokens } = scene;
  const { network } = world;
  const check = await network.create('posture-checks', {
    name: 'domain',
    typeId: 'DOMAIN',
    domains: ['right.example'],
  });
  const path = `M:/service-policies/${world.id('dial policy')}`;
  await network.must('PATCH', path, { postureCheckRoles: [`@${check}`] });
  const body = { serviceId: world.id('service'), type: 'Dial' };
  const create = (token: string) => client.call('POST', 'C:/sessions', token, { body });
  const made = await create(tokens.access_token);
  t.equal(made.status, 201, 'a session is given, because routers judge');
  const { id, token } = made.data as { id: string; token: string };
  dial(scene);
  t.equal(routesOf(world.router('r1')).length, 1, 'a router that asks without one has judged');
  const ask = () =>
    world.receive(world.router('r1'), {
      contentType: contentTypes.createCircuitV2,
      headers: encodeHeaders([
        [11, textValue(token)],
        [14, textValue(tokens.access_token)],
      ]),
    });
  ask();
  t.equal(world.refusal('r1')?.[0], 15, 'a router without the data model cannot judge');
  world.router('r1').hasModel = true;
  ask();
  t.equal(routesOf(world.router('r1')).length, 2, 'one with it has judged');
  const legacy = await network.login('client', 'client-password');
  const refused = await network.call('POST', 'C:/sessions', { token: legacy, body });
  t.match(refused, { status: 400, code: 'INVALID_POSTURE' }, 'other clients report it here');
  await network.must('PATCH', `M:/posture-checks/${check}`, { typeId: 'DOMAIN', name: 'other' });
  const standing = () => network.call('GET', `M:/sessions/${id}`);
  t.equal((await standing()).status, 200, 'a change does not end what is left to routers');

  await network.advance(1000);
  const report = async (domain: string) => {
    const responses = { id: check, typeId: 'DOMAIN', domain };
    const path = 'C:/posture-response';
    const answer = await client.call('POST', path, tokens.access_token, { body: responses });
    t.equal(answer.status, 201);
  };
  await report('right.example');
  t.equal((await standing()).status, 200);
  await report('wrong.example');
  t.equal((await standing()).status, 404, 'what is reported here is judged here');
  t.match(await create(tokens.access_token), { status: 400, code: 'INVALID_POSTURE' });
  await network.advance(1000);
  const later = await client.tokens('client', 'client-password');
  t.equal((await create(later.access_token)).status, 201, 'a login begins anew');
  await network.stop();
});

t.test('circuits end with what they rest on', async (t) => {
  const scene = await boot();
  const { world, client, tokens } = scene;
  const { network } = world;
  const kept = circuit(scene);
  const policy = world.id('dial policy');
  await network.must('PATCH', `M:/service-policies/${policy}`, { identityRoles: ['#none'] });
  await ended(t, scene, kept, 'its policy');
  await network.must('PATCH', `M:/service-policies/${policy}`, { identityRoles: ['#all'] });
  const next = circuit(scene);
  await client.call('DELETE', 'C:/current-api-session', tokens.access_token);
  await ended(t, scene, next, 'its log-out');
  await network.stop();
});
