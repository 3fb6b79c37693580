// How deep a value is nested, for code that walks values of others by recursion.

/**
 * Whether objects and lists are nested deeper than `levels`. A value that contains itself, as an
 * alias of YAML can make one, is nested without end.
 */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => isNestedDeeper(inner, levels - 1));
}
