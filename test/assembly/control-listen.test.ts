// Where a controller listens for routers, and the address that it tells them.

import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { connect } from 'node:tls';
import t, { type Test } from 'tap';
import { startController } from '../../src/assembly/controller.ts';
import type { RunningController } from '../../src/assembly/process-context.ts';
import { StartProblem } from '../../src/errors/errors.ts';
import { createLog } from '../../src/observe/logs.ts';
import { systemClock, systemRandom } from '../../src/platform/clock-and-random.ts';
import { type Config, loadConfig } from '../../src/settings/config.ts';
import { endProcess } from '../simulated/fatal.ts';

type Flags = Readonly<Record<string, string>>;

function configOf(home: string, flags: Flags): Config {
  return loadConfig({
    flags: { home, listen: '127.0.0.1:0', ...flags },
    environment: {},
    directory: '/',
    cores: 1,
    readFile: () => '{"argon2": {"memoryKib": 8, "timeCost": 1, "parallelism": 1}}',
  });
}

/** Starts a controller, calls `use` and stops it. @returns its log */
async function during(
  config: Config,
  use: (running: RunningController) => void | Promise<void>,
): Promise<string> {
  let lines = '';
  const { log } = createLog({
    level: 'info',
    clock: systemClock,
    readable: false,
    write: (line) => (lines += line),
  });
  const system = { clock: systemClock, random: systemRandom, log, fatal: endProcess };
  const running = await startController(config, system);
  try {
    await use(running);
  } finally {
    await running.stop();
  }
  return lines;
}

/** The port of an address, `tls:host:port` or a URL. */
function portOf(address: string | undefined): number {
  return Number(address?.split(':').at(-1));
}

/** Shakes hands as a router does. @returns the server's certificate */
async function handshake(port: number): Promise<X509Certificate> {
  const router = connect({
    host: '127.0.0.1',
    port,
    rejectUnauthorized: false,
    ALPNProtocols: ['ziti-ctrl'],
  });
  await once(router, 'secureConnect');
  if (router.alpnProtocol !== 'ziti-ctrl') throw new Error('no control connection');
  const certificate = router.getPeerX509Certificate();
  router.on('error', () => {});
  router.destroy();
  if (certificate === undefined) throw new Error('the server shows no certificate');
  return certificate;
}

/** A port that another program listens on. */
async function taken(t: Test): Promise<number> {
  const other = createServer();
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => other.close());
  const address = other.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

t.test('a port of its own, and the port of the API', async (t) => {
  await during(configOf(t.testdir(), {}), async ({ url, controlAddress }) => {
    t.match(controlAddress, /^tls:localhost:\d+$/);
    t.not(portOf(controlAddress), portOf(url));
    await handshake(portOf(controlAddress));
    await handshake(portOf(url));
  });
});

t.test('without a port of its own, routers are told the one of the API', async (t) => {
  await during(configOf(t.testdir(), { ctrlListen: 'none' }), async ({ url, controlAddress }) => {
    t.equal(controlAddress, url.replace('https://', 'tls:'));
    await handshake(portOf(controlAddress));
  });
});

t.test('a default port that is in use is done without, and the log says so', async (t) => {
  const port = await taken(t);
  const home = t.testdir();
  const config = configOf(home, {});
  const ctrlListen = { host: '127.0.0.1', port, isNamed: false };
  const lines = await during({ ...config, ctrlListen }, ({ url, controlAddress }) => {
    t.equal(controlAddress, url.replace('https://', 'tls:'));
  });
  t.match(lines, `"listen":"127.0.0.1:${port}"`);
  t.match(lines, /the port is in use: routers connect to the port of the API instead/);
  const named = configOf(home, { ctrlListen: `127.0.0.1:${port}` });
  await t.rejects(
    during(named, () => {}),
    new StartProblem(`cannot listen on 127.0.0.1:${port}: the port is in use`),
  );
});

t.test('an advertised address is told as it is, and its host is in the certificate', async (t) => {
  const home = t.testdir();
  const flags = { advertise: 'api.example:443', ctrlAdvertise: 'ctrl.example:8443' };
  await during(configOf(home, flags), async ({ url, controlAddress }) => {
    t.equal(url, 'https://api.example:443');
    t.equal(controlAddress, 'tls:ctrl.example:8443');
  });
  const again = { ...flags, ctrlAdvertise: '[fd00::1]:0', ctrlListen: '127.0.0.1:0' };
  await during(configOf(home, again), async ({ controlAddress }) => {
    t.match(controlAddress, /^tls:\[fd00::1\]:\d+$/);
    const certificate = await handshake(portOf(controlAddress));
    t.ok(certificate.checkIP('fd00::1'), 'renewed for the new host');
    t.ok(certificate.checkHost('api.example'));
  });
});
