// Reads the literals of a filter: strings, numbers and moments.

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
};

/** The string value of `text`, which includes its quotes. */
export function readString(text: string): string {
  const inner = text.slice(1, -1);
  if (!inner.includes('\\')) return inner;
  return inner.replace(/\\(.)/g, (_, sign: string) => escapes[sign] ?? sign);
}

/** The number value of `text`; undefined beyond the range of a double. */
export function readNumber(text: string): number | undefined {
  // Adding 0 turns -0 into 0.
  const value = Number(text) + 0;
  return Number.isFinite(value) ? value : undefined;
}

const moment =
  /^(\d{4}-\d\d-\d\d)[Tt]([0-2]\d:[0-5]\d:[0-5]\d)(?:\.(\d+))?([Zz]|[+-][0-2]\d:[0-5]\d)$/;

/**
 * The RFC 3339 moment of `text` in ms since the epoch, further digits cut off; undefined for other
 * text, for days and hours that do not exist, and outside of the years 0 to 9999 UTC.
 */
export function readMoment(text: string): number | undefined {
  const [, day, time, fraction = '', zone] = moment.exec(text) ?? [];
  if (day === undefined || time === undefined || zone === undefined) return undefined;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // V8 reads the 30th of February as the 1st or 2nd of March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) {
    return undefined;
  }
  const ms = fraction.slice(0, 3).padEnd(3, '0');
  const value = Date.parse(`${day}T${time}.${ms}${zone.toUpperCase()}`);
  return time < '24' && value >= firstMoment && value <= lastMoment ? value : undefined;
}

const firstMoment = Date.parse('0000-01-01T00:00:00.000Z');
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');
