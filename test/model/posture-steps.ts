// Random changes that administrators make: identities, services, routers, checks and policies.

import type { Run } from './posture-run.ts';
import type { Family, Member, Policy, Space } from './posture-things.ts';
import {
  randomAttributes,
  randomRoles,
  randomWanted,
  randomWantedOf,
  roleFields,
  wantedBody,
} from './posture-values.ts';

/** The password of every identity but the default administrator. */
export const password = 'some-password';

/** Things there are at most, so that they collide often. */
const most = {
  identities: 12,
  services: 10,
  routers: 4,
  checks: 7,
  servicePolicies: 10,
  others: 3,
};

/** Ids of a space. */
function idsOf({ world }: Run, space: Space): string[] {
  const { identities, services, routers, checks } = world;
  const spaces = { identity: identities, service: services, router: routers, check: checks };
  return [...spaces[space].keys()];
}

/** A new identity that can log in with its name. */
export async function createIdentity(run: Run): Promise<void> {
  const { draw, world, strictPolicyId } = run;
  if (world.identities.size >= most.identities) return await changeIdentity(run);
  const name = run.name('user');
  const [attributes, isAdmin, isStrict] = [
    randomAttributes(draw),
    draw.chance(1, 5),
    draw.chance(1, 4),
  ];
  const body = {
    name,
    type: 'Default',
    isAdmin,
    roleAttributes: attributes,
    ...(isStrict ? { authPolicyId: strictPolicyId } : {}),
  };
  const answer = await run.act('POST', 'M:/identities', { body });
  if (!run.expect('create identity', answer, 201)) return;
  const { id } = answer.data as { id: string };
  const updb = { method: 'updb', identityId: id, username: name, password };
  run.expect('its password', await run.act('POST', 'M:/authenticators', { body: updb }), 201);
  world.change(() => {
    world.identities.set(id, {
      id,
      name,
      attributes,
      isAdmin,
      isStrict,
      isDefaultAdmin: false,
      disabledUntil: undefined,
      sdk: undefined,
      mfa: undefined,
      data: { processes: [] },
      refused: [],
      mustAt: 0,
      mayAt: world.now,
    });
  });
}

/** Other attributes, another admin flag or another auth policy, by put or patch. */
export async function changeIdentity(run: Run): Promise<void> {
  const { draw, world, strictPolicyId } = run;
  const identity = draw.pick([...world.identities.values()]);
  const { id, name, isDefaultAdmin } = identity;
  const next = {
    attributes: draw.chance(2, 3) ? randomAttributes(draw) : identity.attributes,
    isAdmin: isDefaultAdmin || (draw.chance(1, 4) ? !identity.isAdmin : identity.isAdmin),
    isStrict: !isDefaultAdmin && (draw.chance(1, 8) ? !identity.isStrict : identity.isStrict),
  };
  const body = {
    isAdmin: next.isAdmin,
    roleAttributes: next.attributes,
    authPolicyId: next.isStrict ? strictPolicyId : 'default',
  };
  const method = isDefaultAdmin || draw.chance(2, 3) ? 'PATCH' : 'PUT';
  const whole = method === 'PUT' ? { ...body, name, type: 'Default' } : body;
  const answer = await run.act(method, `M:/identities/${id}`, { body: whole });
  run.expect('change identity', answer, 200);
  world.change(() => Object.assign(identity, next), { may: () => [id] });
}

/** One identity goes. */
export async function deleteIdentity(run: Run): Promise<void> {
  const { draw, world } = run;
  const found = draw.oneOf([...world.identities.values()].filter((one) => !one.isDefaultAdmin));
  if (found === undefined || world.identities.size < 5) return await createIdentity(run);
  run.expect('delete identity', await run.act('DELETE', `M:/identities/${found.id}`), 200);
  world.change(() => world.remove('identity', found.id));
}

/** Disabled for some minutes or for ever, or enabled again. */
export async function disableOrEnable(run: Run): Promise<void> {
  const { draw, world } = run;
  const others = [...world.identities.values()].filter((one) => !one.isDefaultAdmin);
  const disabled = others.filter((one) => one.disabledUntil !== undefined);
  const identity = draw.oneOf(disabled.length > 0 && draw.chance(2, 3) ? disabled : others);
  if (identity === undefined) return;
  const { id } = identity;
  const may = () => [id];
  if (identity.disabledUntil !== undefined || draw.chance(1, 8)) {
    run.expect('enable', await run.act('POST', `M:/identities/${id}/enable`), 200);
    world.change(() => void (identity.disabledUntil = undefined), { may });
    return;
  }
  const durationMinutes = draw.pick([0, 1, 10, 60]);
  const answer = await run.act('POST', `M:/identities/${id}/disable`, {
    body: { durationMinutes },
  });
  run.expect('disable', answer, 200);
  world.change(
    () => {
      identity.disabledUntil =
        durationMinutes === 0 ? Number.POSITIVE_INFINITY : world.now + durationMinutes * 60_000;
      for (const { id: own, identityId } of [...world.apiSessions.values()]) {
        if (identityId === id) world.endApiSession(own);
      }
    },
    { may },
  );
}

/** Switches whether the strict auth policy asks for TOTP: live sessions follow at once. */
export async function switchTotp(run: Run): Promise<void> {
  const { world, strictPolicyId } = run;
  const body = { secondary: { requireTotp: !world.asksForTotp } };
  const answer = await run.act('PATCH', `M:/auth-policies/${strictPolicyId}`, { body });
  run.expect('switch TOTP', answer, 200);
  world.change(() => void (world.asksForTotp = !world.asksForTotp));
}

const memberKinds = {
  service: { path: 'services', most: most.services, own: { encryptionRequired: true } },
  router: { path: 'edge-routers', most: most.routers, own: {} },
} as const;

/** A service or an edge router is made, changed or deleted. */
export async function changeMember(run: Run, space: 'service' | 'router'): Promise<void> {
  const { draw, world } = run;
  const members = space === 'service' ? world.services : world.routers;
  const kind = memberKinds[space];
  const member = draw.oneOf([...members.values()]);
  if (member === undefined || (members.size < kind.most && draw.chance(2, 5))) {
    const [name, attributes] = [run.name(space), randomAttributes(draw)];
    const body = { name, roleAttributes: attributes, ...kind.own };
    const answer = await run.act('POST', `M:/${kind.path}`, { body });
    if (!run.expect(`create ${space}`, answer, 201)) return;
    const { id } = answer.data as { id: string };
    world.change(() => void members.set(id, { id, name, attributes, revision: 1 }));
    return;
  }
  const { id } = member;
  // The last ones are spared, or nothing could be done for a while.
  if (members.size > 3 && draw.chance(1, 4)) {
    run.expect(`delete ${space}`, await run.act('DELETE', `M:/${kind.path}/${id}`), 200);
    world.change(() => world.remove(space, id));
    return;
  }
  await updateMember(run, space, member);
}

async function updateMember(run: Run, space: 'service' | 'router', member: Member): Promise<void> {
  const { draw, world } = run;
  const attributes = draw.chance(3, 4) ? randomAttributes(draw) : undefined;
  const isPut = attributes !== undefined && draw.chance(1, 3);
  const body = {
    ...(isPut ? { name: member.name } : {}),
    ...(attributes === undefined ? {} : { roleAttributes: attributes }),
    tags: { at: String(world.now) },
  };
  const path = `M:/${memberKinds[space].path}/${member.id}`;
  run.expect(`change ${space}`, await run.act(isPut ? 'PUT' : 'PATCH', path, { body }), 200);
  world.change(() => {
    member.attributes = attributes ?? member.attributes;
    member.revision++;
  });
}

/** A posture check is made, changed or deleted. */
export async function changeCheck(run: Run): Promise<void> {
  const { draw, world } = run;
  const check = draw.oneOf([...world.checks.values()]);
  if (check === undefined || (world.checks.size < most.checks && draw.chance(2, 5))) {
    const [name, attributes, wanted] = [
      run.name('check'),
      randomAttributes(draw, draw.pick([1, 1, 2])),
      randomWanted(draw),
    ];
    const body = { name, roleAttributes: attributes, ...wantedBody(wanted) };
    const answer = await run.act('POST', 'M:/posture-checks', { body });
    if (!run.expect('create check', answer, 201)) return;
    const { id } = answer.data as { id: string };
    const may = () => askingFor(run, id);
    const made = { id, name, attributes, wanted, revision: 1 };
    world.change(() => void world.checks.set(id, made), { may });
    return;
  }
  const { id } = check;
  const path = `M:/posture-checks/${id}`;
  const may = () => askingFor(run, id);
  if (draw.chance(1, 4)) {
    run.expect('delete check', await run.act('DELETE', path), 200);
    world.change(() => world.remove('check', id), { may });
    return;
  }
  const attributes = draw.chance(1, 2)
    ? randomAttributes(draw, draw.pick([1, 1, 2]))
    : check.attributes;
  const wanted = draw.chance(1, 2) ? randomWantedOf(draw, check.wanted.typeId) : check.wanted;
  const body = { name: check.name, roleAttributes: attributes, ...wantedBody(wanted) };
  const method = draw.pick(['PUT', 'PATCH']);
  run.expect('change check', await run.act(method, path, { body }), 200);
  world.change(
    () => void Object.assign(check, { attributes, wanted, revision: check.revision + 1 }),
    { may },
  );
}

/** Identities under the service policies that ask for a check. */
function askingFor({ world }: Run, checkId: string): string[] {
  return [...world.policies.values()]
    .filter((policy) => world.isSelected(policy, 'check', checkId))
    .flatMap((policy) => world.selectedBy(policy.id, 'identity'));
}

/** A policy of a family is made, changed or deleted. */
export async function changePolicy(run: Run, family: Family): Promise<void> {
  const { draw, world } = run;
  const own = [...world.policies.values()].filter((policy) => policy.family === family);
  const policy = draw.oneOf(own);
  const bound = family === 'service-policies' ? most.servicePolicies : most.others;
  if (policy === undefined || (own.length < bound && draw.chance(2, 5))) {
    return await createPolicy(run, family);
  }
  const { id } = policy;
  const path = `M:/${family}/${id}`;
  const may = () => (family === 'service-policies' ? world.selectedBy(id, 'identity') : []);
  if (draw.chance(1, 5)) {
    run.expect('delete policy', await run.act('DELETE', path), 200);
    world.change(() => void world.policies.delete(id), { may });
    return;
  }
  const staysSame = draw.chance(1, 6);
  const drawn = staysSame ? policy.roles : drawRoles(run, family);
  // An update mostly touches one side, as callers do.
  const only = draw.chance(2, 3) ? draw.pick(Object.keys(drawn) as Space[]) : undefined;
  const roles = only === undefined ? drawn : { ...policy.roles, [only]: drawn[only] };
  const other = policy.semantic === 'AllOf' ? 'AnyOf' : 'AllOf';
  const semantic = staysSame || draw.chance(1, 12) ? other : policy.semantic;
  const type = draw.chance(1, 6) ? draw.pick(['Dial', 'Bind']) : policy.type;
  const next: Policy = {
    ...policy,
    roles,
    semantic,
    type: policy.type && (type as 'Dial'),
  };
  const isPut = draw.chance(1, 3);
  const named = only === undefined || isPut ? roles : { [only]: drawn[only] };
  const body = { ...bodyOf(next, named), ...(isPut ? {} : { tags: { n: run.name('tag') } }) };
  run.expect('change policy', await run.act(isPut ? 'PUT' : 'PATCH', path, { body }), 200);
  world.change(() => void world.policies.set(id, next), { may });
}

async function createPolicy(run: Run, family: Family): Promise<void> {
  const { draw, world } = run;
  const roles = drawRoles(run, family);
  const policy: Omit<Policy, 'id'> = {
    family,
    name: run.name('policy'),
    roles,
    semantic: draw.pick(['AllOf', 'AnyOf', 'AnyOf']),
    type: family === 'service-policies' ? draw.pick(['Dial', 'Dial', 'Bind']) : undefined,
  };
  const answer = await run.act('POST', `M:/${family}`, { body: bodyOf(policy, roles) });
  if (!run.expect('create policy', answer, 201)) return;
  const { id } = answer.data as { id: string };
  const may = () => (family === 'service-policies' ? world.selectedBy(id, 'identity') : []);
  world.change(() => void world.policies.set(id, { id, ...policy }), { may });
}

function drawRoles(run: Run, family: Family): Policy['roles'] {
  const spaces = Object.keys(roleFields[family]) as Space[];
  const { draw } = run;
  // Routers are mostly for everybody, or few sessions would ever come about.
  const isForAll = family !== 'service-policies' && draw.chance(2, 3);
  const rolesOf = (space: Space) =>
    isForAll ? ['#all'] : randomRoles(draw, space, idsOf(run, space));
  return Object.fromEntries(spaces.map((space) => [space, rolesOf(space)]));
}

function bodyOf(policy: Omit<Policy, 'id'>, roles: Policy['roles']): Record<string, unknown> {
  const { family, name, semantic, type } = policy;
  const lists = Object.entries(roles).map(([space, list]) => [
    roleFields[family][space as Space] ?? '',
    list,
  ]);
  return { name, semantic, ...(type ? { type } : {}), ...Object.fromEntries(lists) };
}
