// Turns typed text into a text of the filter language.

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\f': '\\f',
};

/** A string as a filter writes it (behaviour/filters#words). */
export function quoted(value: string): string {
  return `"${value.replace(/["\\\n\r\t\f]/g, (sign) => escapes[sign] ?? sign)}"`;
}

const operator = /[=<>]|\b(not\s+)?(i?contains|in|between)\b\s*["[\d]|^\s*(true|false)\b/i;

/** Whether a text is meant as a filter, and not as a piece of a name or an id. */
export function isExpression(text: string): boolean {
  return operator.test(text);
}

/**
 * The filter for a typed text: the text itself if it is a filter, else a search for a part of name
 * or id.
 */
export function filterOf(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '' || isExpression(trimmed)) return trimmed;
  const value = quoted(trimmed);
  return `id contains ${value} or name icontains ${value}`;
}

/** Instances in one state. */
export function stateFilter(state: string): string {
  return `state = ${quoted(state)}`;
}

/** The state that a filter made by `stateFilter` asks for; empty for any other filter. */
export function stateOfFilter(filter: string): string {
  return /^state = "([^"\\]*)"$/.exec(filter)?.[1] ?? '';
}
