// Everything may change during a run: nothing intact is reported as damaged, and rebuilt structures
// agree with the records in the end.

import t from 'tap';
import { isNightly } from '../campaigns.ts';
import { Scene as LiveScene } from '../posture/live-scene.ts';
import * as fc from '../properties.ts';
import type { Network } from '../simulated/network.ts';
import { guard, proven } from './guarded.ts';
import { bootScene, linesOf, run, start, tableOf } from './scene.ts';

/** More of them by `INTEGRITY_RUNS=300 npm test test/integrity/writes.test.ts`. */
const numRuns = Number(process.env['INTEGRITY_RUNS'] ?? (isNightly ? 15 : 6));

/** Consequences of more rows than this come in slices of so many. */
const cascadeRowsMax = 2;

interface Step {
  readonly what: (typeof kindsOfSteps)[number];
  readonly who: number;
  readonly roles: readonly string[];
}

const kindsOfSteps = [
  ...(['identity', 'service', 'policy', 'router', 'change', 'changePolicy'] as const),
  ...(['delete', 'deletePolicy', 'login', 'session', 'disable', 'enroll', 'list'] as const),
  ...(['mfaCheck', 'changeCheck', 'deleteCheck', 'guard', 'pass', 'wake', 'wait'] as const),
] as const;

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(...kindsOfSteps),
  who: fc.nat(1000),
  roles: fc.subarray(['sales', 'eu', 'core', 'old']),
});

/** Slices of a few steps, however fast the machine. */
function hurry({ clock }: Network): void {
  const real = clock.monotonic.bind(clock);
  let looks = 0;
  clock.monotonic = () => real() + ++looks / 2;
}

class Life {
  readonly #network: Network;
  #made = 0;

  constructor(network: Network) {
    this.#network = network;
  }

  async take({ what, who, roles }: Step): Promise<void> {
    const network = this.#network;
    const name = `n${this.#made++}`;
    const any = (kind: string) => {
      const rows = [...tableOf(network, kind).all()];
      return rows[who % Math.max(rows.length, 1)]?.record.id ?? 'nobody';
    };
    const lists = { identityRoles: roles.map((role) => `#${role}`) };
    const check = any('postureCheck');
    const serviceRoles = who % 2 === 0 ? ['#all'] : [`@${any('service')}`];
    const call = (method: string, path: string, body?: object, token?: string) =>
      network.call(method, path, { ...(body && { body }), ...(token && { token }) });
    const expiresAt = new Date(network.clock.now() + 60_000).toISOString();
    const calls: Record<Step['what'], () => Promise<unknown>> = {
      identity: () => network.createUser(`user${name}`, 'password', { roleAttributes: roles }),
      service: () =>
        call('POST', 'M:/services', { name, roleAttributes: roles, encryptionRequired: true }),
      policy: () =>
        call('POST', 'M:/service-policies', {
          name,
          type: 'Dial',
          semantic: who % 3 === 0 ? 'AllOf' : 'AnyOf',
          ...lists,
          serviceRoles,
          postureCheckRoles: [],
        }),
      router: () => call('POST', 'M:/edge-routers', { name, roleAttributes: roles }),
      change: () => call('PATCH', `M:/identities/${any('identity')}`, { roleAttributes: roles }),
      changePolicy: () => call('PATCH', `M:/service-policies/${any('servicePolicy')}`, lists),
      delete: () => call('DELETE', `M:/identities/${any('identity')}`),
      deletePolicy: () => call('DELETE', `M:/service-policies/${any('servicePolicy')}`),
      login: () => network.login('bobby', 'bobby-password').catch(() => undefined),
      session: async () => {
        const token = await network.login('alice', 'alice-password').catch(() => undefined);
        if (token === undefined) return;
        await call('POST', 'C:/sessions', { serviceId: any('service'), type: 'Dial' }, token);
      },
      disable: () =>
        call('POST', `M:/identities/${any('identity')}/disable`, { durationMinutes: 1 }),
      enroll: () =>
        call('POST', 'M:/enrollments', {
          method: 'ott',
          identityId: any('identity'),
          expiresAt,
        }),
      list: () => call('GET', 'M:/identities?sort=name'),
      mfaCheck: () => call('POST', 'M:/posture-checks', { name, ...mfaCheck(who, roles) }),
      changeCheck: () => call('PATCH', `M:/posture-checks/${check}`, mfaCheck(who, roles)),
      deleteCheck: () => call('DELETE', `M:/posture-checks/${check}`),
      guard: () =>
        call('PATCH', `M:/service-policies/${any('servicePolicy')}`, {
          postureCheckRoles: who % 3 === 0 ? ['#all'] : roles.map((role) => `#${role}`),
        }),
      pass: async () => {
        const token = await network.login('alice', 'alice-password').catch(() => undefined);
        if (token === undefined) return;
        await this.#prove(token);
        await call('POST', 'C:/sessions', { serviceId: any('service'), type: 'Dial' }, token);
      },
      wake: async () => this.#report(any('apiSession'), who % 2 === 0),
      wait: () => network.advance(who * 500),
    };
    await calls[what]();
  }

  /** Alice has a second factor, and gives a code of it. */
  async #prove(token: string): Promise<void> {
    const live = new LiveScene(this.#network);
    const { id, identityId } = await this.#network.must<{ id: string; identityId: string }>(
      ...(['GET', 'C:/current-api-session', undefined, token] as const),
    );
    live.reportDomain({ id: identityId }, 'a.b');
    await live.passMfa({ id: identityId, token, apiSessionId: id });
  }

  #report(apiSessionId: string, woken: boolean): void {
    if (tableOf(this.#network, 'apiSession').peek(apiSessionId) === undefined) return;
    const person = { id: '', token: '', apiSessionId };
    new LiveScene(this.#network).report(person, { woken, unlocked: !woken });
  }
}

function mfaCheck(who: number, roleAttributes: readonly string[]): object {
  const prompts = { promptOnWake: who % 2 === 0, promptOnUnlock: who % 3 === 0 };
  return { typeId: 'MFA', timeoutSeconds: 60 + (who % 5) * 60, ...prompts, roleAttributes };
}

/** A network under check, whose life has begun. */
async function bootLife() {
  const scene = await bootScene({ bounds: { cascadeRowsMax, integritySliceMs: 1 } });
  const { network } = scene;
  await guard(scene);
  const life = new Life(network);
  hurry(network);
  return { scene, network, life, integrity: network.core.integrity };
}

t.test('nothing intact is reported as damaged', async (t) => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const { network, life, integrity } = await bootLife();
      for (const one of steps) {
        if (!integrity.results.inProgress) {
          t.same(linesOf(integrity.results), [], 'whole');
          start(network, false);
          runs++;
        }
        await life.take(one);
      }
      await network.advance(1000);
      t.same(linesOf(integrity.results), [], 'whole in the end');
      await network.stop();
    }),
    { numRuns },
  );
  t.ok(runs >= numRuns, `${runs} runs`);
});

t.test('rebuilt structures agree with the records in the end', async (t) => {
  let renewed = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const { scene, network, life, integrity } = await bootLife();
      const attribute = network.env.access.internals.members.identity.attribute('sales');
      if (attribute !== undefined) attribute.members++;
      const sorted = tableOf(network, 'identity').internals.sorted.find(
        ({ name }) => name === 'name',
      );
      const names = sorted?.runs[0] as unknown[];
      names.reverse();
      tableOf(network, 'identity').unique('name').map.delete('clerk');
      const { order } = network.core.expiries.timelines.mfaPassedAt;
      order.remove(proven(scene)[0].slot);
      start(network, true);
      for (const one of steps) await life.take(one);
      await network.advance(1000);
      const { results } = integrity.results;
      t.ok(results.every(({ fixed }) => fixed));
      const isFound = (start: RegExp) => results.some(({ description }) => start.test(description));
      if (isFound(/^access:/) && isFound(/in the order by mfaPassedAt/)) renewed++;
      t.same(linesOf(await run(network, false)), [], 'whole');
      await network.stop();
    }),
    { numRuns },
  );
  t.ok(renewed > numRuns / 2, `access was rebuilt ${renewed} times`);
});
