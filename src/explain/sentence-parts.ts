// The phrases from which the sentences of explanations are built.

import type { ExplainedSide } from './schema.ts';

/** How many entries of each list an explanation shows; the others are only counted. */
export const explainBounds = {
  /** Policies of each family that an explanation spells out. @bound per request */
  explainPoliciesMax: 50,
  /** Roles and attributes in one list of an explanation. @bound per request */
  explainEntriesMax: 10,
  /** Posture checks of one policy in an explanation, failing ones first. @bound per request */
  explainChecksMax: 20,
  /** Routers in each list of an explanation, connected ones first. @bound per request */
  explainRoutersMax: 50,
  /** API sessions and sessions in an explanation, the latest first. @bound per request */
  explainSessionsMax: 25,
};

/** `a`, `a and b`, `a, b and 3 more`: some of `total` things in words. */
export function listInWords(words: readonly string[], total = words.length): string {
  const more = total - words.length;
  const parts = more > 0 ? [...words, `${more} more`] : [...words];
  const last = parts.pop() ?? '';
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}

/** Names in quotes, listed like `listInWords`. */
export function namesInWords(of: readonly { readonly name: string }[], total = of.length): string {
  const named = of.slice(0, namedMax).map(({ name }) => `'${name}'`);
  return listInWords(named, total);
}

/** Names in one sentence of an explanation; more are not read. @bound */
const namedMax = 5;

/** `1 policy`, `2 policies`. */
export function countInWords(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The members that a service policy selects, and the missing ones; continues after its name. */
export function linkInWords(policy: {
  readonly semantic: 'AllOf' | 'AnyOf';
  readonly identity: ExplainedSide;
  readonly service: ExplainedSide;
}): string {
  const { semantic, identity, service } = policy;
  const by = (what: string, { matchedBy }: ExplainedSide) =>
    `the ${what} by ${listInWords(matchedBy.shown, matchedBy.total)}`;
  const not = (what: string, side: ExplainedSide) =>
    `the ${what}, ${shortfallInWords(semantic, side)}`;
  if (identity.isMatching && service.isMatching) {
    return `selects ${by('identity', identity)} and ${by('service', service)}`;
  }
  if (service.isMatching)
    return `selects ${by('service', service)} but not ${not('identity', identity)}`;
  if (identity.isMatching)
    return `selects ${by('identity', identity)} but not ${not('service', service)}`;
  return `selects neither ${not('identity', identity)}, nor ${not('service', service)}`;
}

/** The reason why a list doesn't select a member, as a clause after it. */
function shortfallInWords(semantic: 'AllOf' | 'AnyOf', side: ExplainedSide): string {
  const { entries, has, lacks } = side;
  if (entries === 0) return 'for which its list is empty';
  if (lacks.total === 0) return 'which it does not name';
  const lacking = listInWords(lacks.shown, lacks.total);
  if (semantic === 'AnyOf') {
    return lacks.total === 1 ? `which lacks ${lacking}` : `which has none of ${lacking}`;
  }
  const having = listInWords(has.shown, has.total);
  return has.total === 0 ? `which lacks ${lacking}` : `which has ${having} but lacks ${lacking}`;
}
