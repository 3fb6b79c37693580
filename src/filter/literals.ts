// Values as they are written in a filter: strings, numbers and moments, read from their text.

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
};

/** The string that `text` is, its quotes included. */
export function readString(text: string): string {
  const inner = text.slice(1, -1);
  if (!inner.includes('\\')) return inner;
  return inner.replace(/\\(.)/g, (_, sign: string) => escapes[sign] ?? sign);
}

/** The number that `text` is; undefined beyond what a double holds. */
export function readNumber(text: string): number | undefined {
  // Adding 0 makes -0 the 0 it is printed as.
  const value = Number(text) + 0;
  return Number.isFinite(value) ? value : undefined;
}

const moment =
  /^(\d{4}-\d\d-\d\d)[Tt]([0-2]\d:[0-5]\d:[0-5]\d)(?:\.(\d+))?([Zz]|[+-][0-2]\d:[0-5]\d)$/;

/**
 * The RFC 3339 moment that `text` is, as ms since the epoch, further digits cut off; undefined
 * for none, for days and hours that the calendar and the clock don't have, and outside of the years
 * 0 to 9999 UTC.
 */
export function readMoment(text: string): number | undefined {
  const [, day, time, fraction = '', zone] = moment.exec(text) ?? [];
  if (day === undefined || time === undefined || zone === undefined) return undefined;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // V8 takes the 30th of February for the 1st of March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) {
    return undefined;
  }
  const ms = fraction.slice(0, 3).padEnd(3, '0');
  const value = Date.parse(`${day}T${time}.${ms}${zone.toUpperCase()}`);
  return time < '24' && value >= firstMoment && value <= lastMoment ? value : undefined;
}

const firstMoment = Date.parse('0000-01-01T00:00:00.000Z');
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');
