// The command `pki import`: imports a pair, and says where it is and what is left to do.

import { dirname, isAbsolute, relative } from 'node:path';
import { holderOf } from '../../../snapshots/home/lock.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import { shown } from '../../pki/import/server-pair.ts';
import type { Config } from '../../settings/config.ts';
import { type Imported, importPair, type PkiImport } from './import-pair.ts';

/**
 * Imports a pair, and says what is left to do.
 * @throws StartProblem as `importPair`
 */
export async function importAndReport(
  command: PkiImport & { readonly context: Pick<ProcessContext, 'out'> },
): Promise<void> {
  const { config, context } = command;
  const imported = await importPair(command);
  for (const line of report(imported)) context.out(`${line}\n`);
  const pid = imported.isConfigured ? holderOf(context.disk, config.home) : undefined;
  context.out(nextStep(imported, config, pid));
}

function* report({ pair, paths }: Imported): Generator<string> {
  const { certificate, chain, authority, unnamedHosts } = pair;
  const others = chain.length - 1;
  const between = others === 0 ? '' : `, with ${others} intermediate${others === 1 ? '' : 's'}`;
  yield `imported     ${shown(certificate)}, valid until ${certificate.validToDate.toISOString()}`;
  yield `certificate  ${paths.certificate}${between}`;
  yield `key          ${paths.key}`;
  yield `CA           ${paths.ca}, ${shown(authority)}`;
  for (const host of unnamedHosts) {
    yield `The certificate does not name ${host}, which clients are given: set advertise to a host that it names (${certificate.subjectAltName ?? 'none'}).`;
  }
}

/** What the operator has to do for the pair to be used. */
function nextStep(
  { paths, isConfigured, isNewAuthority }: Imported,
  { configFile }: Config,
  pid: number | undefined,
): string {
  if (!isConfigured) {
    const fromFile = (path: string) => {
      const way = relative(dirname(configFile), path);
      return way.startsWith('..') || isAbsolute(way) ? path : way;
    };
    const pki = {
      serverCert: fromFile(paths.certificate),
      serverKey: fromFile(paths.key),
      ca: fromFile(paths.ca),
    };
    return `Put this into ${configFile}, and start the controller again:\n${JSON.stringify({ pki }, null, 2)}\n`;
  }
  if (pid === undefined) return 'The next start uses it.\n';
  if (isNewAuthority) return 'Start the controller again, because the CA is another one.\n';
  return `The controller uses it within a day, or at once after kill -HUP ${pid} if it runs without a terminal.\n`;
}
