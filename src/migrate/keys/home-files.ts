// All that a home takes over from the peer's configuration and keys: the files to write, and what
// the report says of them.

import { secretMask } from '../../errors/errors.ts';
import { formatHostPort } from '../../settings/setting-type.ts';
import { FindingList } from '../configuration/findings.ts';
import { checkSettings, type HomeSettings, homeSettings } from '../configuration/home-settings.ts';
import type { IdentitySources, KeySource } from '../configuration/key-source.ts';
import type { BindPoint } from '../configuration/listeners.ts';
import {
  type ConfigurationOrder,
  type PeerConfiguration,
  readPeerConfiguration,
} from '../configuration/peer-configuration.ts';
import type { PlacelessKey } from '../configuration/placeless.ts';
import type { ReportWriter } from '../report.ts';
import { SourceRefused } from '../source-problem.ts';
import type { ReadFile } from './key-files.ts';
import { chosenBindPoint, heldBy } from './listener-choice.ts';
import { type NetworkKeys, networkKeys } from './network-keys.ts';

/** What a configuration is taken over with. */
export interface HomeFilesOrder extends Omit<ConfigurationOrder, 'findings'> {
  /** Absolute path of the home that is made. */
  readonly home: string;
  /** `--listener`. */
  readonly listener: string | undefined;
  readonly readFile: ReadFile;
  /** Wall-clock ms. */
  readonly nowMs: number;
  /** As in `ReportWriter`. */
  readonly stop: ReportWriter['stop'];
}

/** What a home takes over, besides its records. */
export interface HomeFiles extends Omit<NetworkKeys, 'files'> {
  /** Texts by their paths below the home; each is written with mode 0600. */
  readonly files: ReadonlyMap<string, string>;
  /** The content of `config.json`. */
  readonly settings: HomeSettings;
  /** The path of the database, if the configuration names it. */
  readonly database: string | undefined;
  /** Nodes of a cluster that the configuration names; the database knows all of them. */
  readonly members: readonly string[];
  /** Keys of the configuration that have no place. */
  readonly placeless: readonly PlacelessKey[];
  /** Sentences about what is changed, or deserves attention. */
  readonly notices: readonly string[];
}

/**
 * Reads the configuration and the keys that it names. Nothing is written.
 * @throws SourceRefused with a sentence in each line for everything that has to be changed first
 */
export function homeFiles(order: HomeFilesOrder): HomeFiles {
  const { home, listener, readFile, nowMs, stop } = order;
  const findings = new FindingList();
  const configuration = readPeerConfiguration({ ...order, findings });
  const point = chosenBindPoint({ configuration, named: listener, readFile, findings });
  if (point === undefined) throw new SourceRefused(findings.refusals.join('\n'));
  const keys = networkKeys(configuration, point, { readFile, findings, nowMs, stop });
  const settings = homeSettings(configuration, point, keys.pki, findings);
  // Settings that are wrong because of a refused value would be refused a second time.
  if (findings.refusals.length === 0) checkSettings(settings, home, findings);
  if (findings.refusals.length > 0) throw new SourceRefused(findings.refusals.join('\n'));
  const files = new Map<string, string>([
    ['config.json', `${JSON.stringify(settings, undefined, 2)}\n`],
  ]);
  for (const [name, text] of keys.files) files.set(`pki/${name}`, text);
  return {
    ...keys,
    files,
    settings,
    database: configuration.database,
    members: configuration.members,
    placeless: [...configuration.placeless, ...passedOver(configuration, point)],
    notices: findings.notices,
  };
}

/** The bind points and certificates that were not chosen. */
function passedOver(
  { bindPoints, identity, listenerIdentities }: PeerConfiguration,
  chosen: BindPoint,
): PlacelessKey[] {
  const address = formatHostPort(chosen.listen);
  const lost = bindPoints
    .filter((point) => point !== chosen)
    .flatMap(({ keys }) => keys)
    .map((key) => ({ ...key, meaning: `The API is served at ${address} alone.` }));
  const served = new Set(sourcesOf(chosen.identity).map(heldBy));
  const meaning = `The certificate of ${chosen.place} is served to everybody.`;
  const unused = [identity, ...listenerIdentities]
    .flatMap(sourcesOf)
    .filter((source) => !served.has(heldBy(source)))
    .map((source) => ({ path: source.place, value: shownSource(source), meaning }));
  return [...lost, ...unused];
}

function sourcesOf(identity: IdentitySources | undefined): KeySource[] {
  const { certificate, key } = identity?.server ?? {};
  return [certificate, key].flatMap((source) => source ?? []);
}

function shownSource(source: KeySource): string {
  switch (source.from) {
    case 'file':
      return source.path;
    case 'text':
      return `pem:${secretMask}`;
    case 'module':
      return `${source.scheme}:${secretMask}`;
  }
}
