// What `"...": "defaults"` stands for at the end of an answer: every field of the kind that the
// case does not name has its fallback. A new field then needs no change of a case.

import { isDeepStrictEqual } from 'node:util';
import { resources } from '../../../src/resources/index.ts';

/**
 * Which field of the entity at a path is not as the case says; undefined when all are.
 * @throws RangeError where the management API has no such entity
 */
export function defaultsProblem(
  path: string,
  expected: object,
  actual: object,
): string | undefined {
  const resource = resources.find((one) => path.startsWith(`M:/${one.path}/`));
  if (resource === undefined) throw new RangeError(`${path} shows no entity`);
  const { kind, joined = {}, hidden = [] } = resource;
  const answered = new Map(Object.entries(actual));
  for (const [name, field] of Object.entries(kind.fields)) {
    const isOther = field.show === 'never' || name in joined || hidden.includes(name);
    if (isOther || name in expected) continue;
    if (field.required && field.fallback === undefined) return `${name} has no default: name it`;
    const value = field.toJson(field.fallback) ?? (field.show === 'always' ? null : undefined);
    if (isDeepStrictEqual(answered.get(name), value)) continue;
    return `${name} is ${JSON.stringify(answered.get(name))}, its default is ${JSON.stringify(value)}`;
  }
  return undefined;
}
