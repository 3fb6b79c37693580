// The lines in which a start says where things are: whole at the first start, short later; for
// people on a terminal, as a log line elsewhere.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FirstStart, ProcessContext, RunningController } from '../assembly/process-context.ts';
import type { Log } from '../observe/logs.ts';
import { shellWord } from './shell-word.ts';

/** The facts that the first lines tell. */
export interface FirstLines {
  readonly controller: Pick<RunningController, 'url' | 'caFile'>;
  readonly firstStart: FirstStart;
  /** Of the roots in the CA file, which the first login of a client shows. */
  readonly fingerprints: readonly string[];
  /** The file with a password that was made up; undefined for one that the operator set. */
  readonly passwordFile: string | undefined;
}

/** Says where everything is, without the password, which stays in its file. */
export function announceFirst(
  { controller, firstStart, fingerprints, passwordFile }: FirstLines,
  context: Pick<ProcessContext, 'terminal' | 'err'>,
  log: Log,
): void {
  const { url, caFile } = controller;
  const { adminUser } = firstStart;
  const inspector = inspectorOf(url);
  if (!context.terminal) {
    const files = { caFile, fingerprints, kept: passwordFile, documentation };
    log.info({ url, inspector, adminUser, ...files }, 'first start');
    return;
  }
  context.err(`
  API             ${url}
  inspector       ${inspector}
  CA file         ${caFile}
${fingerprints.map((one) => `  CA              ${one}\n`).join('')}\
  administrator   ${adminUser}
  password        ${passwordFile === undefined ? 'as you set it' : `in ${passwordFile}`}
  documentation   ${documentation}

  Try: ${firstCall(url, caFile, adminUser, passwordFile)}

`);
}

/** Says where a home that was set up before is served. */
export function announceAgain(
  { url }: Pick<RunningController, 'url'>,
  home: string,
  context: Pick<ProcessContext, 'terminal' | 'err'>,
  log: Log,
): void {
  const inspector = inspectorOf(url);
  if (!context.terminal) log.info({ url, inspector, home }, 'the home is served');
  else context.err(`\n  API ${url}   inspector ${inspector}   home ${home}\n\n`);
}

function inspectorOf(url: string): string {
  return `${url}/inspect`;
}

/** A login, or without a file of the password, a call that needs none. */
function firstCall(
  url: string,
  caFile: string,
  adminUser: string,
  passwordFile: string | undefined,
): string {
  const curl = `curl --cacert ${shellWord(caFile)}`;
  if (passwordFile === undefined) return `${curl} ${url}/edge/client/v1/version`;
  // For printf, a percent sign stands for a value.
  const username = JSON.stringify(adminUser).replaceAll('\\', '\\\\').replaceAll('%', '%%');
  const login = shellWord(`{"username":${username},"password":"%s"}`);
  const address = shellWord(`${url}/edge/management/v1/authenticate?method=password`);
  return `printf ${login} "$(cat ${shellWord(passwordFile)})" | ${curl} -H 'content-type: application/json' -d @- ${address}`;
}

/** Beside the sources and, one directory further up, beside what is built of them. */
const documentation = fileURLToPath(
  ['../../README.md', '../../../README.md']
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(url)) ?? new URL('../../..', import.meta.url),
);
