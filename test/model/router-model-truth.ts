// What a router has to know, computed from the records in the simplest way.

import { configKind } from '../../src/records/config.ts';
import { configTypeKind } from '../../src/records/config-type.ts';
import { edgeRouterPolicyKind } from '../../src/records/edge-router-policy.ts';
import { type IdentityRecord, identityKind } from '../../src/records/identity.ts';
import { postureCheckKind } from '../../src/records/posture-check.ts';
import { revocationKind } from '../../src/records/revocation.ts';
import { routerKind } from '../../src/records/router.ts';
import { serviceKind } from '../../src/records/service.ts';
import { type ServicePolicyRecord, servicePolicyKind } from '../../src/records/service-policy.ts';
import type { PublicKeysFeature } from '../../src/routers/public-keys.ts';
import type { RecordBase } from '../../src/store/record.ts';
import type { Store } from '../../src/store/store.ts';
import type { StoredKind } from '../../src/store/table.ts';
import { NaiveModel, shownText } from './naive-router.ts';

/** The model that a router has to have. */
export function truthFor(
  store: Store,
  routerId: string,
  keys: Pick<PublicKeysFeature, 'keys'>,
): NaiveModel {
  const model = new NaiveModel();
  const router = store.table(routerKind).peek(routerId)?.record;
  if (router === undefined) throw new Error('the router exists');
  const attributes = router.isEdge ? (router.roleAttributes ?? []) : undefined;
  const gates = all(store, edgeRouterPolicyKind).filter(
    ({ semantic, edgeRouterRoles }) =>
      attributes && matches(semantic, edgeRouterRoles, routerId, attributes),
  );
  const identities = all(store, identityKind).filter(({ id, roleAttributes }) =>
    gates.some(({ semantic, identityRoles }) =>
      matches(semantic, identityRoles, id, roleAttributes),
    ),
  );
  const configs = new Set(router.configs ?? []);
  for (const identity of identities) {
    model.identities.set(identity.id, shownText(identityShown(store, identity)));
    for (const { configId } of identity.serviceConfigs) configs.add(configId);
  }
  for (const policy of all(store, servicePolicyKind)) {
    notePolicy(store, policy, identities, model, configs);
  }
  for (const { id, name, target } of all(store, configTypeKind)) {
    model.configTypes.set(id, shownText({ id, name, target }));
  }
  for (const { id, name, configTypeId: typeId, data } of all(store, configKind)) {
    const isForRouters = store.table(configTypeKind).peek(typeId)?.record.target === 'router';
    if (isForRouters ? !router.configs?.includes(id) : !isReferred(store, id, model)) continue;
    if (!configs.has(id)) continue;
    model.configs.set(id, shownText({ id, typeId, name, dataJson: JSON.stringify(data) }));
  }
  for (const { id, name, fingerprint, disabled, configs: listed } of all(store, routerKind)) {
    model.routers.set(id, shownText({ id, name, fingerprint, configs: listed, disabled }));
  }
  for (const { id, type, expiresAt, issuedBefore } of all(store, revocationKind)) {
    if (type === 'JTI') continue;
    const shown = { id, type, expiresAt: stamp(expiresAt), issuedBefore: stamp(issuedBefore) };
    model.revocations.set(id, shownText(shown));
  }
  for (const { kid } of keys.keys()) model.keys.set(kid ?? '', '{}');
  return model;
}

function stamp(ms: number | undefined) {
  return ms === undefined ? null : { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1e6 };
}

/** Notes a policy with what it relates, if it selects one of the identities. */
function notePolicy(
  store: Store,
  policy: ServicePolicyRecord,
  identities: readonly IdentityRecord[],
  model: NaiveModel,
  configs: Set<string>,
): void {
  const select = <R extends RecordBase>(
    records: readonly R[],
    roles: readonly string[] | undefined,
    attributesOf: (record: R) => readonly string[] | undefined,
  ) =>
    records.filter((one) => {
      return matches(policy.semantic, roles ?? [], one.id, attributesOf(one) ?? []);
    });
  const of = select(identities, policy.identityRoles, ({ roleAttributes }) => roleAttributes);
  if (of.length === 0) return;
  const services = select(
    all(store, serviceKind).filter(({ isFabricOnly }) => !isFabricOnly),
    policy.serviceRoles,
    ({ roleAttributes }) => roleAttributes,
  );
  const checks = select(
    all(store, postureCheckKind),
    policy.postureCheckRoles,
    ({ roleAttributes }) => roleAttributes,
  );
  for (const { id, name, encryptionRequired, configs: attached } of services) {
    const shown = { id, name, encryptionRequired };
    const listed = attached ?? [];
    model.services.set(id, shownText({ ...shown, configs: listed }));
    for (const config of listed) configs.add(config);
  }
  for (const { id, macAddresses = [] } of checks) {
    const spelled = macAddresses.flatMap((mac) => [mac, by(mac, ':'), by(mac, '-')]);
    model.checks.set(id, shownText(spelled));
  }
  const policyType = policy.type === 'Dial' ? 1 : 2;
  model.policies.set(policy.id, {
    shown: shownText({ id: policy.id, name: policy.name, policyType }),
    services: ids(services),
    identities: ids(of),
    checks: ids(checks),
  });
}

/** Whether a service or an identity that the router knows refers to a config. */
function isReferred(store: Store, configId: string, model: NaiveModel): boolean {
  const has = [...model.services.keys()].some((id) =>
    store.table(serviceKind).peek(id)?.record.configs?.includes(configId),
  );
  const overrides = [...model.identities.keys()].some((id) =>
    store
      .table(identityKind)
      .peek(id)
      ?.record.serviceConfigs.some((one) => one.configId === configId),
  );
  return has || overrides;
}

function identityShown(store: Store, identity: IdentityRecord): object {
  const { id, name, disabledAt, defaultHostingCost, serviceHostingCosts, appData } = identity;
  const overrides: Record<string, { configs: Record<string, string> }> = {};
  for (const { serviceId, configId } of identity.serviceConfigs) {
    const type = store.table(configKind).peek(configId)?.record.configTypeId ?? '';
    overrides[serviceId] ??= { configs: {} };
    overrides[serviceId].configs[type] = configId;
  }
  return {
    id,
    name,
    defaultHostingCost,
    serviceHostingCosts,
    serviceConfigs: overrides,
    disabled: disabledAt !== undefined,
    appDataJson: JSON.stringify(appData),
  };
}

function by(digits: string, separator: string): string {
  return (digits.match(/../g) ?? []).join(separator);
}

function ids(records: readonly RecordBase[]): Set<string> {
  return new Set(records.map(({ id }) => id));
}

function all<R extends RecordBase>(store: Store, kind: StoredKind<R>): R[] {
  return [...store.table(kind).all()].map(({ record }) => record);
}

function matches(
  semantic: string,
  listed: readonly string[] | undefined,
  id: string,
  attributes: readonly string[],
): boolean {
  const roles = listed ?? [];
  if (roles.includes('#all') || roles.includes(`@${id}`)) return true;
  const wanted = roles.filter((role) => role.startsWith('#')).map((role) => role.slice(1));
  if (wanted.length === 0) return false;
  return semantic === 'AllOf'
    ? wanted.every((name) => attributes.includes(name))
    : wanted.some((name) => attributes.includes(name));
}
