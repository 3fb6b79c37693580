// The configs that an identity sees instead of a service's own (behaviour/configs#overrides).

import Type from 'typebox';
import { emptyReply } from '../../declare/operations/operation.ts';
import { entityRefSchema } from '../../declare/resources/answers.ts';
import { rowOf } from '../../declare/resources/crud.ts';
import { ApiError, fieldError } from '../../errors/errors.ts';
import { configKind } from '../../records/config.ts';
import { type IdentityRecord, identityKind, type ServiceConfig } from '../../records/identity.ts';
import { serviceKind } from '../../records/service.ts';
import { boundsOf } from '../../settings/bounds.ts';
import { refuseOtherTarget } from '../configs/attached-configs.ts';
import { type Context, type Operation, operation } from '../context.ts';
import { identities, identityToActOn } from './identity.ts';

const id = () => Type.String({ minLength: 1, maxLength: 200 });

const pairsBody = Type.Array(Type.Object({ configId: id(), serviceId: id() }));

const path = '/identities/{id}/service-configs';

/** `/identities/{id}/service-configs` */
export const identityServiceConfigs: readonly Operation[] = [
  operation({
    id: 'listIdentitysServiceConfigs',
    path,
    answered: 'here',
    permission: 'identity',
    summary: 'List the configs that an identity sees in the place of those of services',
    answer: Type.Array(
      Type.Object({
        config: entityRefSchema,
        configId: Type.String(),
        service: entityRefSchema,
        serviceId: Type.String(),
      }),
    ),
    isList: true,
    errors: [401, 404, 429],
    decide(context) {
      const owner = rowOf(context, identities).record;
      const shown = owner.serviceConfigs.flatMap((pair) => textOf(context, pair) ?? []);
      // A computed list is one page (behaviour/answers#computed-lists).
      const count = shown.length;
      const list = { limit: count, offset: 0, totalCount: count, filterableFields: [] };
      return { form: 'data', status: 200, data: [`[${shown.join(',')}]`], list };
    },
  }),
  operation({
    id: 'associateIdentitysServiceConfigs',
    method: 'POST',
    path,
    permission: 'identity.update',
    summary: 'Give an identity configs of its own for services, one a service and config type',
    body: pairsBody,
    errors: [400, 401, 404, 429],
    decide(context) {
      const identity = identityToActOn(context);
      write(context, identity, associated(context, identity.serviceConfigs, context.body));
      return emptyReply;
    },
  }),
  operation({
    id: 'disassociateIdentitysServiceConfigs',
    method: 'DELETE',
    path,
    permission: 'identity.update',
    summary: 'Take configs of its own away from an identity',
    body: pairsBody,
    // Without a body nothing is named, so nothing is removed.
    bodyOptional: true,
    errors: [400, 401, 404, 429],
    decide(context) {
      const identity = identityToActOn(context);
      const named = new Set((Array.isArray(context.body) ? context.body : []).map(pairKey));
      const kept = identity.serviceConfigs.filter((pair) => !named.has(pairKey(pair)));
      if (kept.length < identity.serviceConfigs.length) write(context, identity, kept);
      return emptyReply;
    },
  }),
];

const pairKey = ({ serviceId, configId }: ServiceConfig): string => `${serviceId}/${configId}`;

function textOf(context: Context, { serviceId, configId }: ServiceConfig): string | undefined {
  const { registry } = context.env;
  const config = registry.reference('config', configId);
  const service = registry.reference('service', serviceId);
  if (config === undefined || service === undefined) return undefined;
  return (
    `{"config":${config},"configId":"${configId}",` +
    `"service":${service},"serviceId":"${serviceId}"}`
  );
}

/**
 * The stored pairs with the given ones. A later pair of the same service and config type replaces
 * an earlier one, as in OpenZiti.
 */
function associated(
  context: Context,
  stored: readonly ServiceConfig[],
  given: readonly ServiceConfig[],
): ServiceConfig[] {
  const configs = context.env.store.table(configKind);
  const byPurpose = new Map<string, ServiceConfig>();
  const put = (pair: ServiceConfig, typeId: string): void => {
    byPurpose.set(`${pair.serviceId}/${typeId}`, pair);
  };
  for (const pair of stored) {
    const config = configs.find(pair.configId);
    if (config !== undefined) put(pair, config.record.configTypeId);
  }
  for (const [i, { serviceId, configId }] of given.entries()) {
    put({ serviceId, configId }, overridingType(context, { serviceId, configId }, i));
  }
  const { identityServiceConfigsMax: pairsMax } = boundsOf(pairBounds, context.env.bounds);
  if (byPurpose.size > pairsMax) {
    throw fieldError('body', `an identity has at most ${pairsMax} service configs`, given.length);
  }
  return [...byPurpose.values()];
}

/**
 * The type of a config that may override for a service. @throws ApiError 404 for an unknown config,
 * 400 for an unknown service or a config type that is not for services.
 */
function overridingType(
  context: Context,
  { serviceId, configId }: ServiceConfig,
  position: number,
): string {
  const { store } = context.env;
  const config = store.table(configKind).find(configId)?.record;
  if (config === undefined) {
    const field = `${position}.configId`;
    const cause = { field, reason: 'no config has this id', value: configId };
    throw new ApiError('NOT_FOUND', { cause });
  }
  const service = store.table(serviceKind).find(serviceId)?.record;
  if (service === undefined || service.isFabricOnly) {
    throw fieldError(`${position}.serviceId`, 'no service has this id', serviceId);
  }
  const { configTypeId } = config;
  const field = 'serviceConfigs';
  refuseOtherTarget(context, { configTypeId, target: 'service', field, value: configId });
  return configTypeId;
}

function write(
  { env, tx, now }: Context,
  identity: IdentityRecord,
  serviceConfigs: IdentityRecord['serviceConfigs'],
): void {
  const record = { ...identity, serviceConfigs, updatedAt: now };
  tx.put(env.store.table(identityKind), record);
}

const pairBounds = {
  /** Configs that one identity has for services, 60 bytes each. @bound per identity */
  identityServiceConfigsMax: 10_000,
};
