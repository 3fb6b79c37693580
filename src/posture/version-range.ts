// Ranges of versions as OS posture checks give them: `>=10.0.17763`, `1.2.x`, `>1 <2 || 3.1.0`
// (behaviour/posture).

/** A version of three numbers; a pre-release comes before its release (semver.org §11). */
export interface Version {
  readonly numbers: readonly [number, number, number];
  /** Identifiers behind the hyphen; empty for a release. */
  readonly prerelease: readonly string[];
}

/** Whether a version lies within the range. */
export type VersionRange = (version: Version) => boolean;

const number = '(?:0|[1-9]\\d{0,15})';
const tail = '(?:-([0-9A-Za-z.-]+))?(?:\\+[0-9A-Za-z.-]+)?';
// Ranges are held to semver.org §9 and §10; what endpoints report is read more leniently.
const identifier = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const build = '[0-9A-Za-z-]+';
const prerelease = `${identifier}(?:\\.${identifier})*`;
const strictTail = `(?:-(${prerelease}))?(?:\\+${build}(?:\\.${build})*)?`;
const strict = new RegExp(`^(${number})\\.(${number})\\.(${number})${tail}$`);
const part = `(${number}|x|X|\\*)`;
const partial = new RegExp(`^${part}(?:\\.${part}(?:\\.${part}${strictTail})?)?$`);

/** A version of exactly three numbers, perhaps with a pre-release; undefined for anything else. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch, prerelease] = strict.exec(text) ?? [];
  if (major === undefined) return undefined;
  return versionOf([Number(major), Number(minor), Number(patch)], prerelease);
}

/**
 * Parses a range: alternatives divided by `
 *
 * `, each with comparisons that must all hold. Numbers left out of a comparison with `<`, `<=`, `>`
 * or `>=` are 0; elsewhere, or written as `x`, they match any number. Undefined when `text` is not
 * a range.
 */
export function parseVersionRange(text: string): VersionRange | undefined {
  const alternatives: VersionRange[] = [];
  for (const alternative of text.split('||')) {
    // A space between an operator and its version does not separate them.
    const words = alternative
      .trim()
      .replace(/([<>=!])\s+/g, '$1')
      .split(/\s+/);
    const comparisons = words.map(comparison);
    if (!comparisons.every((one) => one !== undefined)) return undefined;
    alternatives.push((version) => comparisons.every((holds) => holds(version)));
  }
  return (version) => alternatives.some((holds) => holds(version));
}

function comparison(word: string): VersionRange | undefined {
  const [, operator = '', wanted = ''] = /^(<=|>=|<|>|==|=|!=|!)?(.*)$/.exec(word) ?? [];
  const bounds = boundsOf(wanted, /^[<>]/.test(operator));
  if (bounds === undefined) return undefined;
  const { from, below } = bounds;
  const isBefore = (version: Version) => compareVersions(version, from) < 0;
  const isAfter = (version: Version) =>
    below === undefined
      ? compareVersions(version, from) > 0
      : below === 'all'
        ? false
        : compareVersions(version, below) >= 0;
  switch (operator) {
    case '<':
      return isBefore;
    case '<=':
      return (version) => !isAfter(version);
    case '>':
      return isAfter;
    case '>=':
      return (version) => !isBefore(version);
    case '!':
    case '!=':
      return (version) => isBefore(version) || isAfter(version);
    default:
      return (version) => !isBefore(version) && !isAfter(version);
  }
}

/** The versions meant: from one on, below another; `below` is absent when only one version is. */
interface Bounds {
  readonly from: Version;
  readonly below?: Version | 'all';
}

function boundsOf(text: string, zeroFills: boolean): Bounds | undefined {
  const found = partial.exec(text);
  if (found === null) return undefined;
  const given = found.slice(1, 4).filter((one) => one !== undefined);
  const fill = zeroFills && given.every(isDigits) ? '0' : 'x';
  const parts = [...given, fill, fill].slice(0, 3);
  const wild = parts.findIndex((one) => !isDigits(one));
  if (wild < 0) return { from: versionOf(parts.map(Number) as [number, number, number], found[4]) };
  // `1.x.2` has no sensible meaning.
  if (found[4] !== undefined || parts.slice(wild).some(isDigits)) return undefined;
  const [major = 0, minor = 0] = parts.slice(0, wild).map(Number);
  const from = versionOf([major, minor, 0]);
  if (wild === 0) return { from, below: 'all' };
  return { from, below: versionOf(wild === 1 ? [major + 1, 0, 0] : [major, minor + 1, 0]) };
}

function versionOf(numbers: Version['numbers'], prerelease?: string): Version {
  return { numbers, prerelease: prerelease === undefined ? [] : prerelease.split('.') };
}

/** Negative, zero or positive, as semver.org §11 orders versions. */
function compareVersions(a: Version, b: Version): number {
  const difference =
    a.numbers[0] - b.numbers[0] || a.numbers[1] - b.numbers[1] || a.numbers[2] - b.numbers[2];
  if (difference !== 0) return difference;
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return b.prerelease.length - a.prerelease.length;
  }
  for (const [i, own] of a.prerelease.entries()) {
    const other = b.prerelease[i];
    if (other === undefined) return 1;
    const difference = compareIdentifiers(own, other);
    if (difference !== 0) return difference;
  }
  return a.prerelease.length - b.prerelease.length;
}

function compareIdentifiers(a: string, b: string): number {
  if (isDigits(a) && isDigits(b)) return Number(a) - Number(b);
  if (isDigits(a) !== isDigits(b)) return isDigits(a) ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

const isDigits = (text: string): boolean => /^\d+$/.test(text);
