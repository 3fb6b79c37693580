// Compares an answer with what a case expects of it: in part, with captures and wildcards.

/** Values that a case keeps from one answer for the next request. */
export type Captures = Map<string, string>;

const wildcards: Readonly<Record<string, (value: unknown) => boolean>> = {
  '(any)': (value) => value !== undefined && value !== null,
  '(absent)': (value) => value === undefined,
  '(text)': (value) => typeof value === 'string' && value !== '',
  '(time)': (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value)),
  '(uuid)': (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(String(value)),
  '(jwt)': (value) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(String(value)),
};

/**
 * Puts kept values in the place of `{name}`, each as `written` has it. @throws RangeError for a
 * name without a value.
 */
export function filled(
  text: string,
  captures: Captures,
  written = (value: string) => value,
): string {
  return text.replace(/\{([a-zA-Z]\w*)\}/g, (_, name: string) => {
    const value = captures.get(name);
    if (value === undefined) throw new RangeError(`nothing was kept as ${name}`);
    return written(value);
  });
}

/**
 * Where `actual` is not what is expected, or undefined. Objects may hold more; lists may not,
 * unless their last expected entry is `"..."`: then the others only have to be among them.
 */
export function mismatch(
  expected: unknown,
  actual: unknown,
  captures: Captures,
  at = '',
): string | undefined {
  if (typeof expected === 'string') return textMismatch(expected, actual, captures, at);
  if (Array.isArray(expected)) return listMismatch(expected, actual, captures, at);
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) return differs(expected, actual, at);
    for (const [key, value] of Object.entries(expected)) {
      const name = filled(key, captures);
      const inner = (actual as Record<string, unknown>)[name];
      const problem = mismatch(value, inner, captures, `${at}.${name}`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  return expected === actual ? undefined : differs(expected, actual, at);
}

function textMismatch(expected: string, actual: unknown, captures: Captures, at: string) {
  const wildcard = wildcards[expected];
  if (wildcard !== undefined) return wildcard(actual) ? undefined : differs(expected, actual, at);
  const [, name] = /^@([a-zA-Z]\w*)$/.exec(expected) ?? [];
  if (name === undefined) {
    const wanted = filled(expected, captures);
    return wanted === actual ? undefined : differs(wanted, actual, at);
  }
  if (typeof actual !== 'string' || actual === '') return differs(expected, actual, at);
  captures.set(name, actual);
  return undefined;
}

function listMismatch(
  expected: readonly unknown[],
  actual: unknown,
  captures: Captures,
  at: string,
): string | undefined {
  if (!Array.isArray(actual)) return differs(expected, actual, at);
  if (expected.at(-1) === '...') {
    for (const wanted of expected.slice(0, -1)) {
      const problems = actual.map((entry) => mismatch(wanted, entry, captures, at));
      if (!problems.includes(undefined)) return `${at} lacks ${JSON.stringify(wanted)}`;
    }
    return undefined;
  }
  if (expected.length !== actual.length) return differs(expected, actual, at);
  for (const [i, wanted] of expected.entries()) {
    const problem = mismatch(wanted, actual[i], captures, `${at}[${i}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function differs(expected: unknown, actual: unknown, at: string): string {
  return `${at || 'it'} is ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`;
}
