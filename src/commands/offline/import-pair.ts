// Imports a server certificate of the operator's own: reads it, checks it as a whole, and writes it
// where the settings name it.

import type { X509Certificate } from 'node:crypto';
import { basename, join } from 'node:path';
import { pkiName } from '../../../snapshots/home/layout.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import { StartProblem } from '../../errors/errors.ts';
import { pkiFileBytesMax, readText, reasonOf, replaceTexts } from '../../pki/authority/files.ts';
import { suppliedPairs } from '../../pki/authority/settings.ts';
import { type KeyMaterial, readKeyMaterial } from '../../pki/import/key-material.ts';
import { type ServerPair, serverPair } from '../../pki/import/server-pair.ts';
import { isIssuedBy, keyToPem, parseCertificates, toPem } from '../../pki/x509/pem.ts';
import { withoutLineEnd } from '../../platform/terminal.ts';
import type { Config } from '../../settings/config.ts';
import type { PkiImportOrder } from './pki-import-order.ts';

/** What an import needs. */
export interface PkiImport {
  readonly config: Config;
  readonly order: PkiImportOrder;
  readonly context: Pick<
    ProcessContext,
    'disk' | 'clock' | 'readBytes' | 'readFile' | 'secretInput'
  >;
}

/** What was written, and where. */
export interface Imported {
  readonly pair: ServerPair;
  readonly paths: ServerPaths;
  /** Whether the settings name the files already. */
  readonly isConfigured: boolean;
  /** Whether clients are told of another CA than before. */
  readonly isNewAuthority: boolean;
}

/** The values of `pki.serverCert`, `pki.serverKey` and `pki.ca`. */
interface ServerPaths {
  readonly certificate: string;
  readonly key: string;
  readonly ca: string;
}

/**
 * Reads the files, checks that they can serve, and writes the pair durably.
 * @throws StartProblem with the reason why nothing was written
 */
export async function importPair(command: PkiImport): Promise<Imported> {
  const { config, order, context } = command;
  const { disk } = context;
  const { paths, isConfigured, isFixedAuthority } = target(config);
  const former = disk.exists(paths.ca)
    ? parseCertificates(readText(disk, paths.ca, 'pki.ca'), 'pki.ca')
    : [];
  const { material, roots, named } = await readAll(command);
  const pair = serverPair({
    name: [order.file, order.key, order.ca].filter((file) => file !== undefined).join(' and '),
    material,
    authorities: isFixedAuthority ? former : [...roots, ...former, ...named],
    advice: isFixedAuthority
      ? `add its certificate to ${paths.ca}, which pki.issuerCert needs, too`
      : 'name a file with its certificate by --ca',
    host: config.advertise.host,
    controlHost: config.ctrlAdvertise?.host,
    nowMs: context.clock.now(),
  });
  const isNewAuthority = !former.some(({ raw }) => raw.equals(pair.authority.raw));
  const texts = new Map<string, string>();
  // The settings may name one file for several of them.
  const put = (path: string, text: string) => texts.set(path, (texts.get(path) ?? '') + text);
  put(paths.certificate, toPem(pair.chain));
  put(paths.key, keyToPem(pair.key));
  if (isNewAuthority) put(paths.ca, toPem([pair.authority]));
  refuseReplacement(command, texts);
  if (!isConfigured) disk.makeDirectory(join(config.home, pkiName));
  replaceTexts(disk, texts);
  return { pair, paths, isConfigured, isNewAuthority };
}

/** Where the pair belongs. @throws PkiProblem for settings that do not fit together */
function target({ home, pki }: Config) {
  const { server, issuer } = suppliedPairs(pki);
  const own = (name: string) => join(home, pkiName, name);
  const { certificate, key } = server ?? {
    certificate: own('imported-server.pem'),
    key: own('imported-server.key'),
  };
  return {
    paths: { certificate, key, ca: pki.ca ?? own('imported-ca.pem') },
    isConfigured: server !== undefined,
    // It holds the CA of the issuer, too, which must stay.
    isFixedAuthority: issuer !== undefined,
  };
}

interface ReadFiles {
  readonly material: KeyMaterial;
  readonly roots: readonly X509Certificate[];
  /** The CAs in the file of `--ca`. */
  readonly named: readonly X509Certificate[];
}

async function readAll(command: PkiImport): Promise<ReadFiles> {
  const { file, key, ca } = command.order;
  const ask = askOnce(command);
  const read = async (path: string | undefined) =>
    path === undefined
      ? { keys: [], certificates: [] }
      : await readKeyMaterial({ name: path, bytes: bytesOf(path, command) }, ask);
  const given = await read(file);
  const beside = await read(key);
  const above = await read(ca);
  const certificates = [given, beside, above].flatMap((one) => one.certificates);
  return {
    material: { keys: [...given.keys, ...beside.keys], certificates },
    roots: certificates.filter((one) => one.ca && isIssuedBy(one, one)),
    // A CA that is named as such need not be a root.
    named: above.certificates.filter((one) => one.ca),
  };
}

function bytesOf(path: string, { context }: PkiImport): Buffer {
  try {
    return context.readBytes(path, { bytesMax: pkiFileBytesMax, isRegular: false });
  } catch (error) {
    throw new StartProblem(`${path} cannot be read: ${reasonOf(error)}.`);
  }
}

/** The password, which is asked for once, and only if it is needed. */
function askOnce({ order, context }: PkiImport): () => Promise<string> {
  const { file, passwordFile } = order;
  const read = async () => {
    try {
      if (passwordFile !== undefined) return withoutLineEnd(context.readFile(passwordFile));
      return await context.secretInput.ask(`Password of ${file}: `);
    } catch (error) {
      throw new StartProblem(`The password cannot be read: ${reasonOf(error)}.`);
    }
  };
  let asked: Promise<string> | undefined;
  return () => {
    asked ??= read();
    return asked;
  };
}

/**
 * Refuses what stands in the way: a file with other content, unless it may be replaced, and
 * anything but a file.
 */
function refuseReplacement(
  { order: { force }, context: { disk } }: PkiImport,
  texts: ReadonlyMap<string, string>,
): void {
  for (const [path, text] of texts) {
    if (!disk.exists(path)) continue;
    if (readText(disk, path, basename(path)) === text || force) continue;
    throw new StartProblem(`${path} is there already: replace it with --force.`);
  }
}
