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
import { joined, routerModelId, routerModelKind } from '../../records/router-model.ts';
import { type ServiceRecord, serviceKind } from '../../records/service.ts';
import { type ServicePolicyRecord, servicePolicyKind } from '../../records/service-policy.ts';
import { tokenKeyKind } from '../../records/token-key.ts';
import type { RecordBase, Row } from '../../store/record.ts';
import type { BeforeCommitTrigger, Store } from '../../store/store.ts';
import type { Transaction } from '../../store/transaction.ts';
import {
  idsIn,
  type ModelKind,
  type RelatedKind,
  relatedKinds,
  type Touches,
  type WrittenTouches,
  wideTouches,
} from './touches.ts';

/**
 * Ids that a frame holds of what it has touched. A frame that touches more is complete for those
 * routers that follow the model then; others get the whole model. @bound per request
 */
const frameIdsMax = 250;

/** The members of one side of a policy before its first change in a transaction. */
interface FormerSide {
  readonly id: string;
  readonly family: PolicyFamily;
  readonly slot: number;
  readonly kind: RelatedKind;
  readonly at: number;
  readonly members: Uint32Array;
}

/** The policies of a member before its first change in a transaction. */
interface FormerMember {
  readonly kind: RelatedKind;
  readonly row: Row;
  readonly at: number;
  /** Slots of service policies, ascending. */
  readonly service: readonly number[];
  /** Slots of the edge router policies of an identity. */
  readonly router: readonly number[];
}

/**
 * Notes what each transaction touches. It observes the tables before access does, because it asks
 * access for what was related before; it writes when all others have.
 */
export class ModelCapture implements BeforeCommitTrigger {
  readonly #store: Store;
  readonly #access: Access;
  #isTouched = false;
  /** Whether the transaction touches too much to be named, or makes the first router. */
  #isWide = false;
  /** By kind and id. */
  readonly #records = new Map<string, string[]>();
  readonly #members = new Map<Row, FormerMember>();
  /** By family, slot and kind. */
  readonly #sides = new Map<string, FormerSide>();
  /** Numbers the changes of the transaction. */
  #at = 0;
  readonly #moved = new Set<string>();
  readonly #policies = new Map<string, string[]>();
  #written: Touches | undefined;
  /** Whether routers follow the model now: nobody else asks for what is too much for a frame. */
  isFollowed: () => boolean = () => false;

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
        if (differs(before, after, ['semantic', 'identityRoles'])) {
          this.#noteSide('edgeRouterPolicy', { id, slot }, 'identity');
        }
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
    this.#isWide = false;
    this.#records.clear();
    this.#members.clear();
    for (const one of [this.#sides, this.#moved, this.#policies]) if (one.size > 0) one.clear();
  }

  write(tx: Transaction): void {
    if (!this.#isTouched) return;
    const touches = (this.#isWide ? undefined : this.#touches()) ?? wideTouches;
    writeModel(this.#store, tx, idsIn(touches) > frameIdsMax ? wideTouches : touches);
    this.#written = touches;
  }

  /**
   * Recovered records are no change, nor is what a leader has written. While there are no routers,
   * nobody asks for changes: the first router is told that it knows none.
   */
  #whenLive<R extends RecordBase>(
    note: (row: Row<R>, before: R | undefined, after: R | undefined) => void,
  ): (row: Row<R>, before: R | undefined, after: R | undefined) => void {
    const routers = this.#store.table(routerKind);
    return (row, before, after) => {
      if (this.#store.isAttached && routers.size > 0) note(row, before, after);
    };
  }

  #shown<R extends RecordBase>(kind: ModelKind, fields: readonly (keyof R & string)[]) {
    return this.#whenLive<R>(({ id }, before, after) => {
      if (differs(before, after, fields)) this.#note(kind, id);
    });
  }

  #note(kind: ModelKind, id: string, referred: Iterable<string> = []): void {
    this.#isTouched = true;
    const key = `${kind}/${id}`;
    let known = this.#records.get(key);
    if (known === undefined) this.#records.set(key, (known = [kind, id]));
    for (const one of referred) if (known.indexOf(one, 2) < 0) known.push(one);
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
    if (before === undefined && this.#store.table(routerKind).size === 1) this.#isWide = true;
    if (differs(before, after, routerFields)) {
      this.#note('router', row.id, [...(before?.configs ?? []), ...(after?.configs ?? [])]);
    }
    const isNew = before === undefined || after === undefined;
    if (isNew || !differs(before, after, ['roleAttributes', 'configs'])) return;
    this.#moved.add(row.id);
    this.#isTouched = true;
  }

  #policy(
    row: Row,
    before: ServicePolicyRecord | undefined,
    after: ServicePolicyRecord | undefined,
  ): void {
    if (differs(before, after, ['name', 'type'])) this.#note('servicePolicy', row.id);
    for (const kind of relatedKinds) {
      const fields = ['semantic', `${kind}Roles`] as const;
      if (differs(before, after, fields)) this.#noteSide('servicePolicy', row, kind);
    }
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

  /** Notes the members of one side of a policy before its roles change. */
  #noteSide(family: PolicyFamily, { id, slot }: Pick<Row, 'id' | 'slot'>, kind: RelatedKind): void {
    this.#isTouched = true;
    const key = `${family}/${slot}/${kind}`;
    if (this.#sides.has(key)) return;
    const members = this.#membersOf(family, slot, kind);
    if (members === undefined) this.#isWide = true;
    else this.#sides.set(key, { id, family, slot, kind, at: ++this.#at, members });
  }

  /** Undefined for members that are too many for a frame while nobody follows. */
  #membersOf(family: PolicyFamily, slot: number, kind: RelatedKind): Uint32Array | undefined {
    const isNamed = this.isFollowed() || this.#access.mostOf(family, slot, kind) <= frameIdsMax;
    return isNamed ? this.#access.membersOf(family, slot, kind) : undefined;
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
    if (!this.#members.has(row)) {
      const { service, router } = this.#policiesOf(kind, row.slot);
      this.#members.set(row, { kind, row, at: ++this.#at, service, router });
    }
    return true;
  }

  /** Slots of the policies that select a member now. */
  #policiesOf(kind: RelatedKind, slot: number): Pick<FormerMember, 'service' | 'router'> {
    return {
      service: this.#access.policiesOf(kind, slot, 'servicePolicy'),
      router:
        kind === 'identity' ? this.#access.policiesOf(kind, slot, 'edgeRouterPolicy') : noPolicies,
    };
  }

  /** Undefined if they are too many to be named. */
  #touches(): WrittenTouches | undefined {
    const relations = this.#relations();
    if (relations === undefined) return undefined;
    return {
      records: [...this.#records.values()],
      memberships: this.#memberships(),
      relations,
      moved: [...this.#moved],
      policies: [...this.#policies.values()],
      isWide: false,
    };
  }

  /** Relations of members whose roles changed: to policies that did not change before them. */
  #memberships(): string[] {
    const found: string[] = [];
    for (const member of this.#members.values()) {
      const { kind, row, service, router } = member;
      const isThere = this.#store.tableNamed(kind).peek(row.id) === row;
      const now = isThere ? this.#policiesOf(kind, row.slot) : gone;
      const policies = this.#turned(member, 'servicePolicy', differenceOf(service, now.service));
      if (policies.length > 0) found.push(joined([kind, row.id, ...policies]));
      const users = this.#turned(member, 'edgeRouterPolicy', differenceOf(router, now.router));
      if (users.length > 0) found.push(joined(['user', row.id, ...users]));
    }
    return found;
  }

  /** Ids of those policies in these slots that did not change before a member. */
  #turned({ at, kind }: FormerMember, family: PolicyFamily, slots: readonly number[]): string[] {
    const table = this.#store.tableNamed(family);
    const sides = this.#sides.size > 0 ? this.#sides : undefined;
    const ids: string[] = [];
    for (const slot of slots) {
      const former = sides?.get(`${family}/${slot}/${kind}`);
      if (former !== undefined && former.at < at) continue;
      const id = table.inSlot(slot)?.id ?? former?.id;
      if (id !== undefined) ids.push(id);
    }
    return ids;
  }

  /** Relations of policies whose roles changed: to members that did not change before them. */
  #relations(): string[][] | undefined {
    const found: string[][] = [];
    for (const { id, family, slot, kind, at, members } of this.#sides.values()) {
      const now = this.#membersOf(family, slot, kind);
      if (now === undefined) return undefined;
      const row = [id, family === 'servicePolicy' ? kind : 'user'];
      for (const one of this.#idsOf(kind, differenceOf(members, now), at)) row.push(one);
      if (row.length > 2) found.push(row);
    }
    return found;
  }

  /** Ids of those members in these slots that did not change before a policy did. */
  #idsOf(kind: RelatedKind, slots: readonly number[], at: number): string[] {
    const table = this.#store.tableNamed(kind);
    const changed = new Map<number, FormerMember>();
    for (const one of this.#members.values()) if (one.kind === kind) changed.set(one.row.slot, one);
    const ids: string[] = [];
    for (const slot of slots) {
      const former = changed.get(slot);
      if (former !== undefined && former.at < at) continue;
      // A policy that named a member that is deleted has changed before that.
      const id = table.inSlot(slot)?.id ?? former?.row.id;
      if (id !== undefined) ids.push(id);
    }
    return ids;
  }
}

const noPolicies: readonly number[] = [];
const gone = { service: noPolicies, router: noPolicies };

/** Writes the record that gives the open frame's LSN to the model as its index. */
export function writeModel(store: Store, tx: Transaction, touches: WrittenTouches): void {
  const table = store.table(routerModelKind);
  // Nodes of the former release do not know the kind while a cluster is upgraded.
  if (table.writtenVersion === 0) return;
  const { createdAt = tx.now } = table.peek(routerModelId)?.record ?? {};
  tx.put(table, { id: routerModelId, createdAt, updatedAt: tx.now, tags: {}, ...touches });
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
function differenceOf(left: ArrayLike<number>, right: ArrayLike<number>): number[] {
  const found: number[] = [];
  let other = 0;
  for (let at = 0; at < left.length; at++) {
    const one = left[at] ?? 0;
    let two = right[other];
    for (; two !== undefined && two < one; two = right[++other]) found.push(two);
    if (two === one) other += 1;
    else found.push(one);
  }
  for (; other < right.length; other++) found.push(right[other] ?? 0);
  return found;
}
