// A router enrolls with a running controller, connects over TLS, stays through a restart of the
// controller, and is refused once it is disabled.

import { readFileSync } from 'node:fs';
import t from 'tap';
import { startController } from '../../src/assembly/controller.ts';
import type { RunningController } from '../../src/assembly/process-context.ts';
import { createLog } from '../../src/observe/logs.ts';
import { systemClock, systemRandom } from '../../src/platform/clock-and-random.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { endProcess } from '../simulated/fatal.ts';
import { type Api, connect, logIn } from '../system/client.ts';
import { connected, enroll } from './tls-router.ts';

const password = 'admin-password';

function start(home: string, port: number): Promise<RunningController> {
  const config = loadConfig({
    flags: {
      home,
      adminPassword: password,
      listen: `127.0.0.1:${port}`,
      ctrlListen: 'none',
      adminUser: 'admin',
      tlsWorkers: '1',
    },
    environment: {},
    directory: '/',
    cores: 1,
    readFile: () => '{"argon2": {"memoryKib": 8, "timeCost": 1, "parallelism": 1}}',
  });
  const { log } = createLog({
    level: 'error',
    clock: systemClock,
    readable: false,
    write: (line) => t.comment(line),
  });
  return startController(config, {
    clock: systemClock,
    random: systemRandom,
    log,
    fatal: endProcess,
  });
}

/** Asks until the answer is as wanted. */
async function until(admin: Api, id: string, wanted: object) {
  for (;;) {
    const view = await admin.ask('GET', `/edge/management/v1/edge-routers/${id}`);
    if (Object.entries(wanted).every(([name, value]) => view[name] === value)) return view;
  }
}

t.test('a router over TLS', async (t) => {
  const home = t.testdir();
  let running = await start(home, 0);
  const port = Number(running.controlAddress?.split(':').at(-1));
  const ca = readFileSync(running.caFile, 'utf8');
  const apiOf = async () => await logIn(connect(t, { url: running.url, ca }), 'admin', password);
  let admin = await apiOf();
  const router = await enroll(admin);
  const first = await connected(router, port);
  t.ok(first.twin.isAccepted);
  t.match(await until(admin, router.id, { syncStatus: 'SYNC_DONE' }), {
    isOnline: true,
    hostname: 'edge.example',
    supportedProtocols: { tls: 'tls://edge.example:3022' },
  });

  await running.stop();
  await first.closed;
  running = await start(home, port);
  admin = await apiOf();
  t.match(await until(admin, router.id, {}), { isOnline: false });
  const second = await connected(router, port, first.twin.secret);
  t.ok(second.twin.isAccepted);
  t.same(second.twin.secret, first.twin.secret, 'the router goes on with its group');
  await until(admin, router.id, { syncStatus: 'SYNC_DONE' });

  await admin.ask('PATCH', `/edge/management/v1/edge-routers/${router.id}`, { disabled: true });
  await second.closed;
  await until(admin, router.id, { isOnline: false });
  const third = await connected(router, port);
  t.notOk(third.twin.isAccepted);
  t.match(third.twin.result?.body.toString(), /disabled/);
  await third.closed;
  await running.stop();
});
