// Finds Debian's chromium, installs it if possible, and starts it so that it trusts only the
// certificate of one controller.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:tls';
import { type Browser, chromium } from 'playwright-core';
import { type Endings, Lacking } from '../system/endings.ts';
import type { Serving } from '../system/process.ts';

const path = '/usr/bin/chromium';

/** Far more than Debian's mirror takes. */
const installTimeoutMs = 5 * 60_000;
const launchTimeoutMs = 30_000;

/**
 * Starts chromium, without a window. It trusts the key that this controller shows, once its CA file
 * has vouched for it here, and no other that a public authority does not vouch for.
 *
 * @throws Lacking when there is no chromium and this process may not install it
 */
export async function launchChromium(
  endings: Endings,
  serving: Pick<Serving, 'port' | 'ca'>,
): Promise<Browser> {
  await install();
  const browser = await chromium.launch({
    executablePath: path,
    args: [`--ignore-certificate-errors-spki-list=${await keyShownBy(serving)}`],
    timeout: launchTimeoutMs,
  });
  endings.teardown(() => browser.close());
  return browser;
}

async function install(): Promise<void> {
  if (existsSync(path)) return;
  const wanted = 'apt-get install chromium';
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Lacking(`there is no ${path}: ${wanted}`);
  }
  const isInstalled =
    apt('update', '-qq') && apt('install', '-qq', '-y', '--no-install-recommends', 'chromium');
  if (!isInstalled || !existsSync(path)) throw new Lacking(`${wanted} gave no ${path}`);
}

function apt(...args: readonly string[]): boolean {
  const { status } = spawnSync('/usr/bin/apt-get', args, {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: installTimeoutMs,
  });
  return status === 0;
}

/** SHA-256 of the key that the controller shows, which its CA file vouches for, as base64. */
async function keyShownBy({ port, ca }: Pick<Serving, 'port' | 'ca'>): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' });
  try {
    await once(socket, 'secureConnect');
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) throw new Error('no certificate was shown');
    const info = certificate.publicKey.export({ type: 'spki', format: 'der' });
    return createHash('sha256').update(info).digest('base64');
  } finally {
    socket.destroy();
  }
}
