// The cost of access: of one permission, of the usable routers, and of a change of a member, in a
// large network.

import { Access } from '../../src/access/access.ts';
import type { Micro } from './micro.ts';

const identities = 100_000;
const services = 1000;
const policies = 100;

/** Members and policies as in the homes of the scenarios; made once per process. */
let made: Access | undefined;

function network(): Access {
  if (made !== undefined) return made;
  const access = new Access({ ids: () => () => undefined });
  for (let n = 0; n < identities; n++) {
    const attributes = ['bench', `site-${n % 20}`];
    access.changeMember('identity', n, `i${n}`, undefined, attributes);
  }
  for (let n = 0; n < services; n++) {
    access.changeMember('service', n, `s${n}`, undefined, [`group-${n % 50}`]);
  }
  for (let n = 0; n < 100; n++) access.changeMember('router', n, `r${n}`, undefined, ['public']);
  for (let n = 0; n < policies; n++) {
    const lists = { identity: [`#site-${n % 20}`], service: [`#group-${n % 50}`] };
    const type = n % 2 === 0 ? 'Dial' : 'Bind';
    access.changePolicy('servicePolicy', n, undefined, { semantic: 'AnyOf', type, lists });
  }
  const all = { identity: ['#all'], service: ['#all'], router: ['#public'] };
  for (const family of ['edgeRouterPolicy', 'serviceEdgeRouterPolicy'] as const) {
    access.changePolicy(family, 0, undefined, { semantic: 'AnyOf', lists: all });
  }
  made = access;
  return access;
}

const among = `${identities.toLocaleString('en-US')} identities, ${policies} policies`;

const asking = (
  name: string,
  title: string,
  ask: (access: Access, n: number) => unknown,
): Micro => ({
  name: `access-${name}`,
  title: `access, ${title}, ${among}`,
  unit: 'question',
  prepare() {
    const access = network();
    let n = 0;
    return () => {
      for (let i = 0; i < 1000; i++) ask(access, n++);
      return 1000;
    };
  },
});

/** The micro-benches of access. */
export const accessMicros: readonly Micro[] = [
  asking('may-dial', 'may dial', (access, n) =>
    access.mayDial((n * 7919) % identities, n % services),
  ),
  asking('router', 'a usable router', (access, n) =>
    access.routers.hasUsable((n * 7919) % identities, n % services),
  ),
  asking('move', 'an identity moves to another site and back', (access, n) => {
    const slot = (n >>> 1) % identities;
    const own = ['bench', `site-${slot % 20}`];
    const other = ['bench', `site-${(slot + 1) % 20}`];
    const isBack = n % 2 === 1;
    access.changeMember(
      'identity',
      slot,
      `i${slot}`,
      ...(isBack ? ([other, own] as const) : ([own, other] as const)),
    );
  }),
];
