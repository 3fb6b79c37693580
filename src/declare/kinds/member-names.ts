// Member names of bodies that differ from the declared ones in case only
// (behaviour/requests#member-names). Only bodies with an undeclared member come here.

type Members = Readonly<Record<string, unknown>>;

/** The value of a member, by its exact name or, without one, by the last other spelling. */
export function memberOf(body: Members, name: string): unknown {
  if (Object.hasOwn(body, name)) return body[name];
  const wanted = name.toLowerCase();
  const other = Object.keys(body).findLast((key) => key.toLowerCase() === wanted);
  return other === undefined ? undefined : body[other];
}

/**
 * The declared members that a body lacks under their exact names but has under other spellings,
 * each with the value of the last of these.
 * @param declared the properties of a schema: the same object at each call
 */
export function otherSpellings(declared: object, body: Members): ReadonlyMap<string, unknown> {
  const names = namesOf(declared);
  const found = new Map<string, unknown>();
  for (const [key, value] of Object.entries(body)) {
    const name = names.get(key.toLowerCase());
    if (name !== undefined && !Object.hasOwn(body, name)) found.set(name, value);
  }
  return found;
}

const known = new WeakMap<object, ReadonlyMap<string, string>>();

/** The declared names by their text in lower case, computed once per schema. */
function namesOf(declared: object): ReadonlyMap<string, string> {
  let names = known.get(declared);
  if (names === undefined) {
    names = new Map(Object.keys(declared).map((name) => [name.toLowerCase(), name]));
    known.set(declared, names);
  }
  return names;
}
