// Notes in each frame what it changes in the model of the network that routers get.

import type { Access } from '../../access/access.ts';
import type { PolicyFamily } from '../../declare/kinds/access-vocabulary.ts';
import type { CaRecord } from '../../records/ca.ts';
import { caKind } from '../../records/ca.ts';
import { configKind } from '../../records/config.ts';
import { configTypeKind } from '../../records/config-type.ts';
import { edgeRouterPolicyKind } from '../../records/edge-router-policy.ts';
import { type IdentityRecord, identityKind } from '../../records/identity.ts';
import { type PostureCheckRecord, postureCheckKind } from '../../records/posture-check.ts';
import { isOfTokens, type RevocationRecord, revocationKind } from '../../records/revocation.ts';
import { type RouterRecord, routerKind } from '../../records/router.ts';
import { routerModelId, routerModelKind } from '../../records/router-model.ts';
import { type ServiceRecord, serviceKind } from '../../records/service.ts';
import { type ServicePolicyRecord, servicePolicyKind } from '../../records/service-policy.ts';
import { tokenKeyKind } from '../../records/token-key.ts';
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

/** The members of a policy before its first change in a transaction. */
interface FormerPolicy {
  readonly family: PolicyFamily;
  readonly slot: number;
  readonly at: number;
  readonly members: ReadonlyMap<RelatedKind, Uint32Array>;
}

/** The policies of a member before its first change in a transaction, by family. */
interface FormerMember {
  readonly kind: RelatedKind;
  readonly row: Row;
  readonly at: number;
  readonly policies: ReadonlyMap<PolicyFamily, readonly string[]>;
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
  /** By kind and id. */
  readonly #members = new Map<string, FormerMember>();
  /** By id. */
  readonly #former = new Map<string, FormerPolicy>();
  /** Numbers the changes of the transaction. */
  #at = 0;
  readonly #moved = new Set<string>();
  readonly #policies = new Map<string, readonly string[]>();
  #written: Touches | undefined;

  constructor(store: Store, access: Access) {
    this.#store = store;
    this.#access = access;
    store.table(configTypeKind).observe(this.#shown('configType', ['name', 'target']));
    store.table(configKind).observe(this.#shown('config', ['name', 'data']));
    store.table(revocationKind).observe(this.#whenLive((...all) => this.#revocation(...all)));
    store.table(identityKind).observe(this.#whenLive((...all) => this.#identity(...all)));
    store.table(serviceKind).observe(this.#whenLive((...all) => this.#service(...all)));
    store.table(postureCheckKind).observe(this.#whenLive((...all) => this.#check(...all)));
    store.table(routerKind).observe(this.#whenLive((...all) => this.#router(...all)));
    store.table(servicePolicyKind).observe(this.#whenLive((...all) => this.#policy(...all)));
    store.table(caKind).observe(this.#whenLive((...all) => this.#ca(...all)));
    store.table(tokenKeyKind).observe(
      this.#whenLive(({ id }, before, after) => {
        // Routers know the first key already: it was in a file before.
        const isNew = before === undefined && after?.state === 'announced';
        // They know keys of tokens and certificates of CAs alike, by their names.
        if (isNew || after === undefined) this.#note('ca', id, [id]);
      }),
    );
    store.table(edgeRouterPolicyKind).observe(
      this.#whenLive(({ id, slot }, before, after) => {
        if (!differs(before, after, ['semantic', 'identityRoles', 'edgeRouterRoles'])) return;
        this.#noteMembers('edgeRouterPolicy', { id, slot });
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
    const touches = this.#touches();
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
    if (differs(before, after, policyRoles)) this.#noteMembers('servicePolicy', { id, slot });
  }

  /** Routers know nothing of single tokens. */
  #revocation(
    { id }: Row,
    before: RevocationRecord | undefined,
    after: RevocationRecord | undefined,
  ): void {
    if (isOfTokens(after ?? before)) return;
    if (differs(before, after, ['type', 'expiresAt', 'issuedBefore'])) this.#note('revocation', id);
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

  /** Notes the members of a policy before its roles change. */
  #noteMembers(family: PolicyFamily, { id, slot }: Pick<Row, 'id' | 'slot'>): void {
    this.#isTouched = true;
    if (this.#former.has(id)) return;
    const members = this.#membersOf(family, slot);
    this.#former.set(id, { family, slot, at: ++this.#at, members });
  }

  #membersOf(family: PolicyFamily, slot: number): Map<RelatedKind, Uint32Array> {
    const kinds = family === 'servicePolicy' ? relatedKinds : userKinds;
    return new Map(kinds.map((kind) => [kind, this.#access.membersOf(family, slot, kind)]));
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
    const key = `${kind}/${row.id}`;
    if (!this.#members.has(key)) {
      const policies = this.#policiesOf(kind, row.slot);
      this.#members.set(key, { kind, row, at: ++this.#at, policies });
    }
    return true;
  }

  /** Ids of the policies that select a member now. */
  #policiesOf(kind: RelatedKind, slot: number): Map<PolicyFamily, readonly string[]> {
    const families: readonly PolicyFamily[] =
      kind === 'identity' ? ['servicePolicy', 'edgeRouterPolicy'] : ['servicePolicy'];
    return new Map(
      families.map((family) => {
        const table = this.#store.tableNamed(family);
        const policies = this.#access.policiesOf(kind, slot, family);
        return [family, policies.flatMap((policy) => table.inSlot(policy)?.id ?? [])];
      }),
    );
  }

  #touches(): Touches {
    const { records } = this.#gathered;
    return {
      records: [...records].flatMap(([kind, known]) =>
        [...known].map(([id, configs]) => [kind, id, ...configs]),
      ),
      relations: [...this.#relationsOfMembers(), ...this.#relationsOfPolicies()],
      moved: [...this.#moved],
      policies: [...this.#policies.values()],
      isWide: false,
    };
  }

  /** Relations of members whose roles changed: to policies that did not change before them. */
  *#relationsOfMembers(): Generator<string[]> {
    for (const { kind, row, at, policies } of this.#members.values()) {
      const isThere = this.#store.tableNamed(kind).peek(row.id) === row;
      const now = isThere ? this.#policiesOf(kind, row.slot) : undefined;
      for (const [family, before] of policies) {
        for (const policy of changed(before, now?.get(family) ?? [])) {
          const former = this.#former.get(policy);
          if (former !== undefined && former.at < at) continue;
          yield [policy, family === 'servicePolicy' ? kind : 'user', row.id];
        }
      }
    }
  }

  /** Relations of policies whose roles changed: to members that did not change before them. */
  *#relationsOfPolicies(): Generator<string[]> {
    // A policy that named a member that is deleted has changed before that.
    const deleted = new Map<string, string>();
    for (const { kind, row } of this.#members.values()) deleted.set(`${kind}/${row.slot}`, row.id);
    for (const [id, { family, slot, at, members }] of this.#former) {
      const after = this.#membersOf(family, slot);
      for (const [kind, before] of members) {
        const table = this.#store.tableNamed(kind);
        const ids: string[] = [];
        for (const member of differenceOf(before, after.get(kind) ?? noSlots)) {
          const memberId = table.inSlot(member)?.id ?? deleted.get(`${kind}/${member}`);
          if (memberId === undefined) continue;
          const former = this.#members.get(`${kind}/${memberId}`);
          if (former === undefined || former.at > at) ids.push(memberId);
        }
        if (ids.length > 0) yield [id, family === 'servicePolicy' ? kind : 'user', ...ids];
      }
    }
  }
}

const userKinds = ['identity'] as const;
const noSlots = new Uint32Array(0);

/** What one of two lists has and the other one has not. */
function changed(before: readonly string[], after: readonly string[]): string[] {
  const [had, has] = [new Set(before), new Set(after)];
  return [...before.filter((one) => !has.has(one)), ...after.filter((one) => !had.has(one))];
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
