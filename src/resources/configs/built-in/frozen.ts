// Deep freezing, so that the built-in records of every home can never change.

/** `value` itself, frozen with everything in it; parts frozen before are not walked again. */
export function deepFrozen<const T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFrozen(inner);
  return Object.freeze(value);
}
