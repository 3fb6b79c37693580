// Whether access says what the records say: each member and policy against a naive recomputation,
// and what is kept of them against each other.

import type { PolicyChecks } from '../declare/integrity-policies.ts';
import type { Kind } from '../declare/kind.ts';
import { type Look, type Repair, rowsAStep } from '../store/fault.ts';
import type { Row } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { Access } from './access.ts';
import type { Attribute } from './member-class.ts';
import type { MemberTable } from './members.ts';
import { classFault, memberFault, mentionFault, policyFault } from './part-faults.ts';
import { rolesOf } from './store-access.ts';
import type { MemberSpace, PolicyFamily } from './vocabulary.ts';

/** What access is held against, and what makes it anew. */
export interface AccessCheckOptions {
  readonly store: Store;
  readonly access: Access;
  readonly kinds: readonly Kind[];
  /** Kept up from the first step on. */
  readonly policies: PolicyChecks;
  readonly repair: Repair;
}

/** Looks at all of access. Whatever is wrong, one repair makes it anew. */
export function* accessFaults(options: AccessCheckOptions): Look {
  const { access, kinds, policies, repair } = options;
  const faultIn = (description: string | undefined) =>
    description === undefined ? undefined : { description, repair, advice };
  yield* policies.reading();
  const texts = [
    ...kinds.map((kind) => memberTexts(options, kind)),
    ...kinds.map((kind) => policyTexts(options, kind)),
    ...Object.keys(access.parts.members).map((space) => classTexts(access, space as MemberSpace)),
  ];
  let looked = 0;
  for (const each of texts) {
    for (const text of each) {
      if (text !== undefined || ++looked % rowsAStep === 0) yield faultIn(text);
    }
  }
}

const advice = 'restart the controller: it works access out anew';

type Texts = Iterable<string | undefined>;

function* memberTexts(options: AccessCheckOptions, kind: Kind): Texts {
  const { store, access } = options;
  const { member } = kind;
  if (member === undefined) return;
  const table = store.table(kind.kind);
  const known = () => access.parts.members[member.space];
  for (const row of table.all()) {
    // Worked out in one go: the row may be gone by the time that the next one is asked for.
    yield* textsOf(options, kind.kind, row, member);
    yield undefined;
  }
  for (let slot = 0; slot < known().bound; slot++) {
    const row = table.inSlot(slot);
    const isMember = row !== undefined && member.attributes(row.record as never) !== undefined;
    const isKnown = attempt(() => (known().classAt(slot) === undefined ? undefined : 'is there'));
    yield isKnown !== undefined && !isMember
      ? `access: it knows a member in slot ${slot} of ${kind.kind}, where none is`
      : undefined;
  }
}

function textsOf(
  { access, policies }: AccessCheckOptions,
  kind: string,
  row: Row,
  member: NonNullable<Kind['member']>,
): string[] {
  const { slot, record } = row;
  const what = `access: ${kind} ${record.id}`;
  const attributes = member.attributes(record as never);
  const table = access.parts.members[member.space];
  const fault = attempt(() => memberFault(table, slot, record.id, attributes));
  // What does not even stand where it should can answer nothing.
  if (fault !== undefined) return [`${what} ${fault}`];
  if (attributes === undefined) return [];
  const texts: string[] = [];
  const problem = attempt(() => {
    for (const { kind: policy, id, field, description } of policies.of(kind, row)) {
      texts.push(`${policy} ${id}: ${field ?? ''} ${description}`);
    }
    return routerFault(access, member.space, slot);
  });
  return problem === undefined ? texts : [...texts, `${what} ${problem}`];
}

const routerFamilies: Readonly<Partial<Record<MemberSpace, PolicyFamily>>> = {
  identity: 'edgeRouterPolicy',
  service: 'serviceEdgeRouterPolicy',
};

/** Classes share their routers, so one member of each is asked. */
function routerFault(access: Access, space: MemberSpace, slot: number): string | undefined {
  const family = routerFamilies[space];
  if (family === undefined || access.parts.members[space].classAt(slot)?.head !== slot) return;
  const wanted = new Set<number>();
  for (const policy of access.policiesOf(space, slot, family)) {
    for (const router of access.membersOf(family, policy, 'router')) wanted.add(router);
  }
  const of = space === 'identity' ? access.routersOfIdentity(slot) : access.routersOfService(slot);
  const agrees = of.length === wanted.size && of.every((router) => wanted.has(router));
  return agrees ? undefined : 'is given other routers than its policies select';
}

function* policyTexts({ store, access }: AccessCheckOptions, { kind, policy }: Kind): Texts {
  if (policy === undefined) return;
  const table = store.table(kind);
  const known = () => access.parts.policies[policy.family];
  for (const { slot, record } of table.all()) {
    const fault = attempt(() => policyFault(known(), slot, rolesOf(policy, record)));
    yield fault && `access: ${kind} ${record.id} ${fault}`;
  }
  for (let slot = 0; slot < known().bound; slot++) {
    yield known().at(slot) !== undefined && table.inSlot(slot) === undefined
      ? `access: it knows a policy in slot ${slot} of ${kind}, where none is`
      : undefined;
  }
  yield known().isCounted() ? undefined : `access: it counts other policies of ${kind} than it has`;
}

function* classTexts({ parts }: Access, space: MemberSpace): Texts {
  const table = () => parts.members[space];
  for (let index = 0; index < table().classes.bound; index++) {
    const fault = classFault(table(), index);
    yield fault && `access: a class of ${space} ${fault}`;
  }
  for (const attribute of table().allAttributes()) yield* attributeTexts(table, space, attribute);
  for (const mention of table().allMentions()) {
    const fault = mentionFault(table(), mention);
    yield fault && `access: the id ${mention.id} of ${space} ${fault}`;
  }
}

/** An attribute may have as many classes as there are members. */
function* attributeTexts(
  table: () => MemberTable,
  space: MemberSpace,
  attribute: Attribute,
): Texts {
  const what = `access: the role attribute ${attribute.name} of ${space}`;
  const { classes } = table();
  let members = 0;
  attribute.classes?.forEach((index) => {
    members += classes.peek(index)?.size ?? 0;
  });
  yield members === attribute.members ? undefined : `${what} counts other members than it has`;
  for (const index of attribute.classes?.toArray() ?? []) {
    const isThere = attribute.classes?.has(index) === true;
    const isRight = classes.peek(index)?.attributes.includes(attribute) === true;
    yield isThere && !isRight ? `${what} is given to a class without it` : undefined;
  }
}

/** What is damaged may well throw. */
function attempt(ask: () => string | undefined): string | undefined {
  try {
    return ask();
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  return `cannot be asked for: ${error instanceof Error ? error.message : String(error)}`;
}
