// The key and the certificate of a small server, and the file of the CA that it is trusted by.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import { openAuthority } from '../../src/pki/authority/authority.ts';
import { systemClock, systemRandom } from '../../src/platform/clock-and-random.ts';

/** What a server presents, as options of Node's; and the PEM file for its clients. */
export interface ServerIdentity {
  readonly options: { readonly key: Buffer; readonly cert: Buffer };
  readonly caFile: string;
  /** The directory whose `pki/` has all of them, as the home of a controller. */
  readonly home: string;
}

/** Makes them for `localhost`, in the directory of the test. */
export async function makeServerIdentity(t: Test): Promise<ServerIdentity> {
  const home = join(t.testdir({ home: { pki: {} } }), 'home');
  const directory = join(home, 'pki');
  await openAuthority({
    disk: nodeDisk,
    clock: systemClock,
    random: systemRandom,
    directory,
    host: 'localhost',
    settings: { keyType: 'ec-p256' },
  });
  const key = readFileSync(join(directory, 'server.key'));
  const cert = readFileSync(join(directory, 'server.pem'));
  return { options: { key, cert }, caFile: join(directory, 'ca.pem'), home };
}
