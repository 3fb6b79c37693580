// Policy advice: why an identity can reach a service, or cannot (behaviour/policies#advice).

import Type from 'typebox';
import { detail } from '../../declare/operations/operation.ts';
import { entityRefSchema, linksSchema } from '../../declare/resources/answers.ts';
import { rowOf } from '../../declare/resources/crud.ts';
import { routerKind } from '../../records/router.ts';
import { type Context, type Operation, operation } from '../context.ts';
import { identities } from '../identities/identity.ts';
import { services } from '../services/service.ts';
import { noteFamily } from './access-rows.ts';

const adviceSchema = Type.Object(
  {
    identityId: Type.String(),
    identity: entityRefSchema,
    serviceId: Type.String(),
    service: entityRefSchema,
    isBindAllowed: Type.Boolean(),
    isDialAllowed: Type.Boolean(),
    identityRouterCount: Type.Integer(),
    serviceRouterCount: Type.Integer(),
    commonRouters: Type.Array(
      Type.Object({
        _links: linksSchema,
        entity: Type.String(),
        id: Type.String(),
        name: Type.String(),
        isOnline: Type.Boolean(),
      }),
    ),
  },
  { title: 'policyAdvice' },
);

/** `/identities/{id}/policy-advice/{serviceId}` */
export const policyAdvice: Operation = operation({
  id: 'getIdentityPolicyAdvice',
  path: '/identities/{id}/policy-advice/{serviceId}',
  answered: 'leader',
  permission: 'service',
  summary: 'What policies say of an identity and a service, and the routers that both may use',
  answer: adviceSchema,
  errors: [401, 404, 429],
  decide: (context) => detail([adviceText(context)]),
});

/** An administrator's rights are not considered, because only policies permit traffic. */
function adviceText(context: Context): string {
  const { access, registry } = context.env;
  const identity = rowOf(context, identities);
  const service = rowOf(context, services, 'serviceId');
  for (const family of ['servicePolicy', 'edgeRouterPolicy', 'serviceEdgeRouterPolicy'] as const) {
    noteFamily(context, family);
  }
  const { id: identityId } = identity.record;
  const { id: serviceId } = service.record;
  const common = access.routers.usable(identity.slot, service.slot);
  const routers = [...common].flatMap((slot) => routerText(context, slot) ?? []);
  return (
    `{"identityId":"${identityId}","identity":${registry.reference('identity', identityId)},` +
    `"serviceId":"${serviceId}","service":${registry.reference('service', serviceId)},` +
    `"isBindAllowed":${access.mayBind(identity.slot, service.slot)},` +
    `"isDialAllowed":${access.mayDial(identity.slot, service.slot)},` +
    `"identityRouterCount":${access.routers.of('identity', identity.slot).length},` +
    `"serviceRouterCount":${access.routers.of('service', service.slot).length},` +
    `"commonRouters":[${routers.join(',')}]}`
  );
}

function routerText(context: Context, slot: number): string | undefined {
  const { store, registry, presence } = context.env;
  const id = store.table(routerKind).at(slot)?.record.id;
  const reference = registry.reference('router', id);
  if (id === undefined || reference === undefined) return undefined;
  return `${reference.slice(0, -1)},"isOnline":${presence.of(id) !== undefined}}`;
}
