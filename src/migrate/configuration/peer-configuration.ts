// What the `ctrl.yaml` of the peer says: addresses, places of keys, times, and the rest that has no
// place in a home.

import { join, resolve } from 'node:path';
import type { HostPort } from '../../settings/setting-type.ts';
import { readControllerFile } from './controller-file.ts';
import type { Findings } from './findings.ts';
import {
  type IdentitySources,
  identitySources,
  type KeySource,
  keySource,
  type PairSources,
  type SourceContext,
} from './key-source.ts';
import { type PlainSettings, plainSettings, sectionAt } from './lifetimes.ts';
import {
  addressIn,
  type BindPoint,
  type ControlAddresses,
  readControl,
  readListeners,
} from './listeners.ts';
import { type PlacelessKey, placeless } from './placeless.ts';
import { Section } from './section.ts';

/** The configuration of a controller of the peer. */
export interface PeerConfiguration {
  /** The section `identity`, which serves the control channel and listeners without their own. */
  readonly identity: IdentitySources | undefined;
  /** The identities of listeners that have their own. */
  readonly listenerIdentities: readonly IdentitySources[];
  /** What signs the certificates of identities and routers. */
  readonly signing: PairSources;
  /** Further CAs beside it. */
  readonly signingCa: KeySource | undefined;
  readonly bindPoints: readonly BindPoint[];
  readonly control: ControlAddresses;
  /** `edge.api.address`: where clients enroll. */
  readonly apiAddress: HostPort | undefined;
  /** As configured, which counts where no certificate names one. */
  readonly trustDomain: string | undefined;
  readonly settings: PlainSettings;
  /** The path of the database, if the file names it. */
  readonly database: string | undefined;
  /** Addresses of nodes with which a cluster was begun; others may have joined since. */
  readonly members: readonly string[];
  readonly placeless: readonly PlacelessKey[];
}

/** What a configuration is read with. */
export interface ConfigurationOrder {
  readonly text: string;
  /** What messages call the file. */
  readonly name: string;
  /** Its directory: relative paths in it start there. */
  readonly directory: string;
  /** The environment, and what `--set-variable` adds to it. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly findings: Findings;
}

/**
 * Reads a configuration. Values that cannot be used are refused in the findings.
 * @throws SourceRefused for text that is not YAML, or beyond the bounds of `readControllerFile`
 */
export function readPeerConfiguration(order: ConfigurationOrder): PeerConfiguration {
  const { text, name, directory, variables, findings } = order;
  const root = new Section(readControllerFile(text, name), '', { variables, findings });
  const context: SourceContext = { directory, findings };
  refuseMissing(root, findings);
  // Other versions are listed among the keys without a place.
  if (root.peekText('v') === '3') root.pass('v');
  const section = root.section('identity');
  const identity = section && identitySources(section, context);
  const { bindPoints, identities } = readListeners(root, identity, context);
  const api = sectionAt(root, ['edge', 'api']);
  const address = api?.text('address');
  const apiAddress =
    api === undefined || address === undefined
      ? undefined
      : addressIn(address, api.pathOf('address'), findings);
  return {
    identity,
    listenerIdentities: identities,
    ...readSigning(root, context),
    bindPoints,
    control: readControl(root, findings),
    apiAddress,
    trustDomain: root.text('trustDomain'),
    settings: plainSettings(root, findings),
    ...readStorage(root, directory),
    placeless: root.unread().map(placeless),
  };
}

/** Without these sections the file is not that of a controller that serves identities. */
function refuseMissing(root: Section, findings: Findings): void {
  for (const name of ['identity', 'edge', 'web']) {
    if (root.has(name)) continue;
    findings.refuse(
      `The configuration has no section ${name}: it is not that of a controller with the APIs of an edge network.`,
    );
  }
}

function readSigning(
  root: Section,
  context: SourceContext,
): Pick<PeerConfiguration, 'signing' | 'signingCa'> {
  const section = sectionAt(root, ['edge', 'enrollment', 'signingCert']);
  const source = (name: string) => {
    const text = section?.text(name);
    if (section === undefined || text === undefined) return undefined;
    return keySource(section.pathOf(name), text, context);
  };
  const place = 'edge.enrollment.signingCert';
  return {
    signing: { place, certificate: source('cert'), key: source('key') },
    signingCa: source('ca'),
  };
}

/** The name of the database of a node of a cluster. */
const clusterDatabase = 'ctrl-ha.db';

/** `raft` is what former releases called `cluster`. */
function readStorage(
  root: Section,
  directory: string,
): Pick<PeerConfiguration, 'database' | 'members'> {
  const cluster = root.section('cluster') ?? root.section('raft');
  const folder = cluster?.text('dataDir');
  const file = root.text('db');
  const database = folder === undefined ? file : join(folder, clusterDatabase);
  return {
    database: database === undefined ? undefined : resolve(directory, database),
    members: cluster?.texts('initialMembers') ?? [],
  };
}
