// What a controller says at its start that lets routers judge posture (behaviour/oidc#posture).

import t from 'tap';
import { bootNetwork, Network } from '../simulated/network.ts';

const warning = /routers judge the posture checks of service policies/;

t.test('a start warns if all clients log in by OIDC, and policies have checks', async (t) => {
  const { oidc } = new Network({}).config;
  for (const [announce, hasChecks, warns] of [
    ['all', true, true],
    ['all', false, false],
    ['management', true, false],
  ] as const) {
    const network = await bootNetwork({ config: { oidc: { ...oidc, announce } } });
    if (hasChecks) {
      const check = { name: 'domain', typeId: 'DOMAIN', domains: ['a.example'] };
      const id = await network.create('posture-checks', check);
      await network.create('service-policies', {
        name: 'guarded',
        type: 'Dial',
        semantic: 'AnyOf',
        postureCheckRoles: [`@${id}`],
      });
    }
    await network.restart();
    t.equal(
      network.logged.some((line) => warning.test(line)),
      warns,
      `${announce}, ${hasChecks ? 'with' : 'without'} checks`,
    );
    await network.stop();
  }
});
