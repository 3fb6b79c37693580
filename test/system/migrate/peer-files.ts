// The keys and configuration files of a stock controller, as its operator makes them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ZitiCommand } from '../ziti-fabric/ziti-command.ts';
import type { PeerKeys, PeerShape } from './peer-shape.ts';

const trustDomain = 'migration.example';

/** Where one controller is reached. */
export interface PeerPorts {
  readonly api: number;
  /** For routers, and for the other controllers. */
  readonly control: number;
}

/** One controller of a network, numbered from 1. */
export interface PeerNodePlace extends PeerPorts {
  /** The directory of the whole network. */
  readonly directory: string;
  readonly number: number;
}

/** Makes a root, its intermediates, and a pair for each of so many controllers. */
export async function makePki(
  ziti: ZitiCommand,
  directory: string,
  { keys, nodes, hasOwnSigner, hasTrustDomain }: PeerShape,
): Promise<void> {
  const keyed = keyWords(keys);
  const create = async (what: string, ...words: readonly string[]) =>
    await ziti.must('pki', 'create', what, '--pki-root', join(directory, 'pki'), ...words);
  const domain = hasTrustDomain ? ['--trust-domain', trustDomain] : [];
  await create('ca', '--ca-file', 'root', '--ca-name', 'Root', ...domain, ...keyed);
  for (const name of hasOwnSigner ? ['servers', 'signer'] : ['servers']) {
    const named = ['--intermediate-file', name, '--intermediate-name', name];
    await create('intermediate', '--ca-name', 'root', ...named, ...keyed);
  }
  for (let number = 1; number <= Math.max(1, nodes); number += 1) {
    const id = hasTrustDomain ? ['--spiffe-id', `controller/ctrl-${number}`] : [];
    const pair = ['--ca-name', 'servers', '--key-file', `server-${number}`, ...id];
    const names = ['--dns', 'localhost', '--ip', '127.0.0.1'];
    const server = ['--server-file', `server-${number}`, '--server-name', `server-${number}`];
    await create(
      'server',
      ...pair.filter((word) => word !== '--key-file' && word !== `server-${number}`),
      ...server,
      ...names,
      ...keyed,
    );
    const client = ['--client-file', `client-${number}`, '--client-name', `ctrl-${number}`];
    await create('client', ...pair, ...client, ...keyed);
  }
}

function keyWords(keys: PeerKeys): string[] {
  const [, bits] = keys.split(' ');
  return bits === undefined ? ['--curve', keys] : ['--private-key-size', bits];
}

/** The root, which clients trust. */
export function rootFile(directory: string): string {
  return join(directory, 'pki/root/certs/root.cert');
}

/** The configuration of a controller. */
export function configurationFile({ directory, number }: PeerNodePlace): string {
  return join(directory, `ctrl-${number}.yaml`);
}

/** The database of a controller. */
export function databaseFile({ directory, number }: PeerNodePlace, shape: PeerShape): string {
  const name = shape.nodes === 0 ? 'ctrl.db' : `raft-${number}/ctrl-ha.db`;
  return join(directory, name);
}

/** The variable that stands for the directory in a configuration. */
export const directoryVariable = 'HOME';

/** Writes the configuration of a controller. */
export function writeConfiguration(place: PeerNodePlace, shape: PeerShape): void {
  const { directory, number, api, control } = place;
  const at = shape.hasVariables ? `\${${directoryVariable}}` : directory;
  const { nodes, hasOwnSigner, hasTrustDomain } = shape;
  const signer = hasOwnSigner ? 'signer' : 'servers';
  const text = `v: 3 # ${number} of ${Math.max(1, nodes)}
${nodes === 0 ? `db: "${at}/ctrl.db"` : `cluster:\n  dataDir: "${at}/raft-${number}"`}
${hasTrustDomain ? `trustDomain: ${trustDomain}` : '#trustDomain: none'}
identity: &identity
  cert: "${at}/pki/servers/certs/client-${number}.chain.pem"
  server_cert: "${at}/pki/servers/certs/server-${number}.chain.pem"
  key: "${at}/pki/servers/keys/server-${number}.key"
  ca: "${at}/pki/root/certs/root.cert"
ctrl:
  listener: tls:127.0.0.1:${control}
  options:
    advertiseAddress: tls:localhost:${control}
edge:
  api:
    sessionTimeout: 30m
    address: localhost:${api}
    disableOidcAutoBinding: ${!shape.hasOidc}
  enrollment:
    signingCert:
      cert: "${at}/pki/${signer}/certs/${signer}.cert"
      key: "${at}/pki/${signer}/keys/${signer}.key"
    edgeIdentity:
      duration: 90m
    edgeRouter:
      duration: 2h
web:
  - name: all
    bindPoints:
      - interface: 127.0.0.1:${api}
        address: localhost:${api}
    identity: *identity
    apis:
      - binding: edge-management
      - binding: edge-client
      - binding: fabric
${shape.hasOidc ? '      - binding: edge-oidc' : ''}
`;
  writeFileSync(configurationFile(place), text, { mode: 0o600 });
}
