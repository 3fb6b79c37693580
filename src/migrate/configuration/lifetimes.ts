// The times and names that the peer's configuration and ours have in common.

import { settings } from '../../settings/settings.ts';
import { durationMs } from './duration.ts';
import type { Findings } from './findings.ts';
import type { Section } from './section.ts';

/** Groups of `config.json` that a configuration of the peer can fill. */
type PlainGroup = 'session' | 'enrollment' | 'oidc' | 'totp';

/** Values for `config.json`, by group and name; groups without a value are left out. */
export type PlainSettings = {
  readonly [Group in PlainGroup]?: Readonly<Record<string, string | number>>;
};

/** A duration that becomes minutes. */
interface Lifetime {
  /** The sections below the file, and the key. */
  readonly from: readonly [string, ...string[]];
  readonly group: PlainGroup;
  readonly name: string;
  /** Minutes that our setting takes. */
  readonly least: number;
  readonly most: number;
  /** Whether our setting takes whole minutes alone. */
  readonly isWhole: boolean;
}

const yearMinutes = 366 * 24 * 60;
const whole = { most: yearMinutes, isWhole: true };
const fraction = { least: 5 / 60, most: yearMinutes, isWhole: false };

/** The bounds are those of `settings.ts`, which a test compares. */
const lifetimes: readonly Lifetime[] = [
  {
    from: ['edge', 'api', 'sessionTimeout'],
    group: 'session',
    name: 'timeoutMinutes',
    least: 1,
    ...whole,
  },
  {
    from: ['edge', 'enrollment', 'edgeIdentity', 'duration'],
    group: 'enrollment',
    name: 'identityMinutes',
    least: 5,
    ...whole,
  },
  {
    from: ['edge', 'enrollment', 'edgeRouter', 'duration'],
    group: 'enrollment',
    name: 'routerMinutes',
    least: 5,
    ...whole,
  },
  ...['accessToken', 'idToken', 'refreshToken'].map(
    (token): Lifetime => ({
      from: ['edge', 'oidc', `${token}Duration`],
      group: 'oidc',
      name: `${token}Minutes`,
      ...fraction,
    }),
  ),
];

/** The settings that the file has; what it leaves out has the same default here. */
export function plainSettings(root: Section, findings: Findings): PlainSettings {
  const groups: { [Group in PlainGroup]?: Record<string, string | number> } = {};
  const put = (group: PlainGroup, name: string, value: string | number) => {
    groups[group] = { ...groups[group], [name]: value };
  };
  for (const lifetime of lifetimes) {
    const minutes = minutesOf(root, lifetime, findings);
    if (minutes !== undefined) put(lifetime.group, lifetime.name, minutes);
  }
  const issuer = issuerOf(root, findings);
  if (issuer !== undefined) put('totp', 'issuer', issuer);
  return groups;
}

function minutesOf(
  root: Section,
  { from, group, name, least, most, isWhole }: Lifetime,
  findings: Findings,
): number | undefined {
  const last = from[from.length - 1] ?? '';
  const section = sectionAt(root, from.slice(0, -1));
  const text = section?.text(last);
  if (section === undefined || text === undefined) return undefined;
  const ms = durationMs(text);
  if (ms === undefined) {
    findings.refuse(
      `${section.pathOf(last)} is ${JSON.stringify(text)} but must be a duration, such as 30m or 1h30m.`,
    );
    return undefined;
  }
  const exact = ms / 60_000;
  const minutes = Math.min(most, Math.max(least, isWhole ? Math.ceil(exact) : exact));
  if (minutes !== exact) {
    findings.notice(
      `${section.pathOf(last)} is ${text}; ${group}.${name} becomes ${minutes} minutes, the nearest that it can be.`,
    );
  }
  return minutes;
}

/** What authenticator apps show beside a code. */
function issuerOf(root: Section, findings: Findings): string | undefined {
  const section = sectionAt(root, ['edge', 'totp']);
  const issuer = section?.text('hostname');
  if (section === undefined || issuer === undefined) return undefined;
  if (settings.totp.issuer.read(issuer, '') !== undefined) return issuer;
  findings.notice(
    `${section.pathOf('hostname')} is not taken, because totp.issuer must be ${settings.totp.issuer.expected}: new second factors are named ${settings.totp.issuer.default}.`,
  );
  return undefined;
}

/** A section below others; undefined if it or one above it is absent. */
export function sectionAt(root: Section, names: readonly string[]): Section | undefined {
  return names.reduce<Section | undefined>((section, name) => section?.section(name), root);
}
