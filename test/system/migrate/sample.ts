// The sample: the home of a stopped controller of the peer, what its API showed before, and what
// its members hold.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NetworkPaths } from '../../migrate/home/small-network.ts';
import type { Json } from '../client.ts';

/** What `before.json` has. */
interface Before {
  readonly views: Readonly<Record<string, readonly Json[]>>;
  /** Names of services by the names of identities. */
  readonly access: Readonly<Record<string, readonly string[]>>;
  readonly live: { readonly userToken: string };
  readonly mfa: { readonly secret: string; readonly recoveryCodes: readonly string[] };
  readonly ids: Readonly<Record<string, string>>;
}

/** An enrolled device: PEM of its certificate, its key and the CAs that it trusts. */
export interface SampleDevice {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** Where the sample is, and its parts. */
export class Sample {
  readonly paths: NetworkPaths;
  readonly before: Before;
  readonly #directory: string;

  /** @param room where a copy of the configuration is written */
  constructor(directory: string, room: string) {
    this.#directory = directory;
    const home = join(directory, 'home');
    const text = readFileSync(join(home, 'instance-1/ctrl.yaml'), 'utf8');
    const configuration = join(room, 'ctrl.yaml');
    writeFileSync(configuration, text.replaceAll('@HOME@', home));
    const database = join(home, 'instance-1/raft/ctrl-ha.db');
    this.paths = { directory, database, configuration };
    this.before = JSON.parse(readFileSync(join(directory, 'before.json'), 'utf8'));
  }

  /** A device by its name. */
  device(name: string): SampleDevice {
    const { id }: { readonly id: SampleDevice } = JSON.parse(this.endpoint(`${name}.json`));
    const pem = (text: string) => text.replace(/^pem:/, '');
    return { cert: pem(id.cert), key: pem(id.key), ca: pem(id.ca) };
  }

  /** The text of a file that a member holds. */
  endpoint(name: string): string {
    return readFileSync(join(this.#directory, 'endpoints', name), 'utf8');
  }
}

const root = join(import.meta.dirname, '../../..');
const archive = join(root, '../shared/migration/peer-home.tar.gz');

/**
 * The sample; undefined where there is none. It is the directory that `MIGRATION_SAMPLE` names, or
 * is unpacked from the archive beside the repository.
 */
export function findSample(room: string): Sample | undefined {
  const named = process.env['MIGRATION_SAMPLE'];
  if (named !== undefined) return new Sample(named, room);
  if (!existsSync(archive)) return undefined;
  const directory = join(room, 'sample');
  mkdirSync(directory);
  const { status, stderr } = spawnSync('tar', ['-xzf', archive, '-C', directory]);
  if (status !== 0) throw new Error(`tar: ${stderr}`);
  return new Sample(directory, room);
}
