// Freezes records in tests and development, so that a change of a written record throws.

/** Freezes a record and all it holds, so that a mutation anywhere throws. */
export function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  if (ArrayBuffer.isView(value)) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
}
