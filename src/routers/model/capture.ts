// Notes in each frame what it changes in the model of the network that routers get.

import type { Access } from '../../access/access.ts';
import type { CaRecord } from '../../records/ca.ts';
import { caKind } from '../../records/ca.ts';
import { configKind } from '../../records/config.ts';
import { configTypeKind } from '../../records/config-type.ts';
import { edgeRouterPolicyKind } from '../../records/edge-router-policy.ts';
import { type IdentityRecord, identityKind } from '../../records/identity.ts';
import { type PostureCheckRecord, postureCheckKind } from '../../records/posture-check.ts';
import { type RouterRecord, routerKind } from '../../records/router.ts';
import { routerModelId, routerModelKind } from '../../records/router-model.ts';
import { type ServiceRecord, serviceKind } from '../../records/service.ts';
import { type ServicePolicyRecord, servicePolicyKind } from '../../records/service-policy.ts';
import type { RecordBase, Row } from '../../store/record.ts';
import type { BeforeCommitTrigger, Store } from '../../store/store.ts';
import type { Transaction } from '../../store/transaction.ts';
import {
  GatheredTouches,
  idsIn,
  type ModelKind,
  type RelatedKind,
  relatedKinds,
  type Touches,
  wideTouches,
} from './touches.ts';

/**
 * Ids that a frame holds of what it has touched. A frame that touches more is complete for those
 * routers that are connected; others get the whole model. @bound per request
 */
const frameIdsMax = 1000;

/** The members of a service policy before a transaction. */
interface FormerPolicy {
  readonly slot: number;
  readonly members: ReadonlyMap<RelatedKind, Uint32Array>;
}

/**
 * Notes what each transaction touches. It observes the tables before access does, because it asks
 * access for what was related before; it writes when all others have.
 */
export class ModelCapture implements BeforeCommitTrigger {
  readonly #store: Store;
  readonly #access: Access;
  #isTouched = false;
  #gathered = new GatheredTouches();
  /** Members whose policies may have changed: by kind and id. */
  readonly #members = new Map<string, readonly [kind: RelatedKind, row: Row]>();
  readonly #former = new Map<string, FormerPolicy>();
  readonly #moved = new Set<string>();
  readonly #policies = new Map<string, readonly string[]>();
  #written: Touches | undefined;

  constructor(store: Store, access: Access) {
    this.#store = store;
    this.#access = access;
    store.table(configTypeKind).observe(this.#shown('configType', ['name', 'target']));
    store.table(configKind).observe(this.#shown('config', ['name', 'data']));
    store.table(identityKind).observe(this.#whenLive((...all) => this.#identity(...all)));
    store.table(serviceKind).observe(this.#whenLive((...all) => this.#service(...all)));
    store.table(postureCheckKind).observe(this.#whenLive((...all) => this.#check(...all)));
    store.table(routerKind).observe(this.#whenLive((...all) => this.#router(...all)));
    store.table(servicePolicyKind).observe(this.#whenLive((...all) => this.#policy(...all)));
    store.table(caKind).observe(this.#whenLive((...all) => this.#ca(...all)));
    store.table(edgeRouterPolicyKind).observe(
      this.#whenLive(({ id }, before, after) => {
        if (!differs(before, after, ['semantic', 'identityRoles', 'edgeRouterRoles'])) return;
        const isNew = before === undefined && !this.#policies.has(id);
        this.#policies.set(id, isNew ? [id, 'new'] : [id]);
        this.#isTouched = true;
      }),
    );
  }

  /** What the transaction that is being committed has touched, in full. */
  take(): Touches | undefined {
    const written = this.#written;
    this.#written = undefined;
    return written;
  }

  begin(): void {
    this.#written = undefined;
    if (!this.#isTouched) return;
    this.#isTouched = false;
    this.#gathered = new GatheredTouches();
    for (const one of [this.#members, this.#former, this.#moved, this.#policies]) one.clear();
  }

  write(tx: Transaction): void {
    if (!this.#isTouched) return;
    for (const [kind, row] of this.#members.values()) this.#relate(kind, row);
    for (const [id, former] of this.#former) this.#relateMembers(id, former);
    const touches = this.#gathered.toTouches(this.#moved, this.#policies.values());
    writeModel(this.#store, tx, idsIn(touches) > frameIdsMax ? wideTouches : touches);
    this.#written = touches;
  }

  /** Recovered records are no change, nor is what a leader has written. */
  #whenLive<R extends RecordBase>(
    note: (row: Row<R>, before: R | undefined, after: R | undefined) => void,
  ): (row: Row<R>, before: R | undefined, after: R | undefined) => void {
    return (row, before, after) => {
      if (this.#store.isAttached) note(row, before, after);
    };
  }

  #shown<R extends RecordBase>(kind: ModelKind, fields: readonly (keyof R & string)[]) {
    return this.#whenLive<R>(({ id }, before, after) => {
      if (differs(before, after, fields)) this.#note(kind, id);
    });
  }

  #note(kind: ModelKind, id: string, referred: Iterable<string> = []): void {
    this.#isTouched = true;
    const known = this.#gathered.note(kind, id);
    for (const one of referred) known.add(one);
  }

  #identity(row: Row, before: IdentityRecord | undefined, after: IdentityRecord | undefined): void {
    const isMoved = this.#member('identity', row, before?.roleAttributes, after?.roleAttributes);
    if (!isMoved && !differs(before, after, identityFields)) return;
    const overrides = [...(before?.serviceConfigs ?? []), ...(after?.serviceConfigs ?? [])];
    this.#note(
      'identity',
      row.id,
      overrides.map(({ configId }) => configId),
    );
  }

  #service(row: Row, before: ServiceRecord | undefined, after: ServiceRecord | undefined): void {
    // Fabric-only services are in no model.
    if ((after ?? before)?.isFabricOnly) return;
    const isMoved = this.#member('service', row, rolesOf(before), rolesOf(after));
    if (!isMoved && !differs(before, after, serviceFields)) return;
    this.#note('service', row.id, [...(before?.configs ?? []), ...(after?.configs ?? [])]);
  }

  #check(
    row: Row,
    before: PostureCheckRecord | undefined,
    after: PostureCheckRecord | undefined,
  ): void {
    this.#member('postureCheck', row, before?.roleAttributes, after?.roleAttributes);
    if (differs(before, after, checkFields)) this.#note('postureCheck', row.id);
  }

  #router(row: Row, before: RouterRecord | undefined, after: RouterRecord | undefined): void {
    if (differs(before, after, routerFields)) {
      this.#note('router', row.id, [...(before?.configs ?? []), ...(after?.configs ?? [])]);
    }
    const isNew = before === undefined || after === undefined;
    if (isNew || !differs(before, after, ['roleAttributes', 'configs'])) return;
    this.#moved.add(row.id);
    this.#isTouched = true;
  }

  #policy(
    { id, slot }: Row,
    before: ServicePolicyRecord | undefined,
    after: ServicePolicyRecord | undefined,
  ): void {
    if (differs(before, after, ['name', 'type'])) this.#note('servicePolicy', id);
    if (this.#former.has(id) || !differs(before, after, policyRoles)) return;
    const members = new Map<RelatedKind, Uint32Array>();
    for (const kind of relatedKinds) {
      members.set(kind, this.#access.membersOf('servicePolicy', slot, kind));
    }
    this.#former.set(id, { slot, members });
    this.#isTouched = true;
  }

  #ca({ id }: Row, before: CaRecord | undefined, after: CaRecord | undefined): void {
    const keys = [before, after].flatMap((ca) => (ca?.state === 'verified' ? [ca] : []));
    if (keys.length === 0 || !differs(before, after, ['state', 'certPem', 'fingerprint'])) return;
    this.#note(
      'ca',
      id,
      keys.map(({ fingerprint }) => fingerprint),
    );
  }

  /** Notes the policies of a member before its roles change. @returns whether they do */
  #member(
    kind: RelatedKind,
    row: Row,
    before: readonly string[] | undefined,
    after: readonly string[] | undefined,
  ): boolean {
    if (before === after || (before && after && isSame(before, after))) return false;
    this.#isTouched = true;
    this.#members.set(`${kind}/${row.id}`, [kind, row]);
    this.#relate(kind, row);
    return true;
  }

  #relate(kind: RelatedKind, { id, slot }: Row): void {
    const policies = this.#store.table(servicePolicyKind);
    for (const policy of this.#access.policiesOf(kind, slot, 'servicePolicy')) {
      const row = policies.inSlot(policy);
      if (row !== undefined) this.#gathered.relate(row.id, kind, id);
    }
  }

  /** Notes those whom a policy selects now and did not before, or the other way round. */
  #relateMembers(id: string, { slot, members }: FormerPolicy): void {
    // A policy that named a member that is deleted has changed before that.
    const deleted = new Map<string, string>();
    for (const [kind, row] of this.#members.values()) deleted.set(`${kind}/${row.slot}`, row.id);
    for (const [kind, before] of members) {
      const after = this.#access.membersOf('servicePolicy', slot, kind);
      const table = this.#store.tableNamed(kind);
      for (const member of differenceOf(before, after)) {
        const memberId = table.inSlot(member)?.id ?? deleted.get(`${kind}/${member}`);
        if (memberId !== undefined) this.#gathered.relate(id, kind, memberId);
      }
    }
  }
}

/** Writes the record that gives the open frame's LSN to the model as its index. */
export function writeModel(store: Store, tx: Transaction, touches: Touches): void {
  const table = store.table(routerModelKind);
  // Nodes of the former release do not know the kind while a cluster is upgraded.
  if (table.writtenVersion === 0) return;
  const { createdAt = tx.now } = table.peek(routerModelId)?.record ?? {};
  tx.put(table, { id: routerModelId, createdAt, updatedAt: tx.now, tags: {}, ...copyOf(touches) });
}

function copyOf({ records, relations, moved, policies, isWide }: Touches) {
  const rows = (of: readonly (readonly string[])[]) => of.map((row) => [...row]);
  return {
    records: rows(records),
    relations: rows(relations),
    moved: [...moved],
    policies: rows(policies),
    isWide,
  };
}

const identityFields = [
  ...(['name', 'state', 'appData', 'defaultHostingCost', 'defaultHostingPrecedence'] as const),
  ...(['serviceHostingCosts', 'serviceHostingPrecedences', 'serviceConfigs'] as const),
];
const serviceFields = ['name', 'configs', 'encryptionRequired'] as const;
const checkFields = [
  ...(['name', 'typeId', 'operatingSystems', 'domains', 'macAddresses', 'process'] as const),
  ...(['semantic', 'processes', 'timeoutSeconds', 'promptOnWake', 'promptOnUnlock'] as const),
  'ignoreLegacyEndpoints' as const,
];
const routerFields = ['name', 'fingerprint', 'disabled', 'configs'] as const;
const policyRoles = ['semantic', 'identityRoles', 'serviceRoles', 'postureCheckRoles'] as const;

/** Whether the two records differ in one of these fields, or one of them does not exist. */
function differs<R extends RecordBase>(
  before: R | undefined,
  after: R | undefined,
  fields: readonly (keyof R)[],
): boolean {
  if (before === undefined || after === undefined) return true;
  return fields.some((name) => {
    const [was, is] = [before[name], after[name]];
    if (was === is) return false;
    return typeof was !== 'object' || JSON.stringify(was) !== JSON.stringify(is);
  });
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name, at) => name === right[at]);
}

function rolesOf(service: ServiceRecord | undefined): readonly string[] | undefined {
  return service && (service.roleAttributes ?? []);
}

/** The slots of one ascending list that the other one lacks, of both. */
function* differenceOf(left: Uint32Array, right: Uint32Array): Generator<number> {
  let [at, other] = [0, 0];
  while (at < left.length || other < right.length) {
    const [one = Number.POSITIVE_INFINITY, two = Number.POSITIVE_INFINITY] = [
      left[at],
      right[other],
    ];
    if (one === two) {
      at += 1;
      other += 1;
    } else if (one < two) {
      yield one;
      at += 1;
    } else {
      yield two;
      other += 1;
    }
  }
}
