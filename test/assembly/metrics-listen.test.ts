// A whole controller with its metrics listener, in this process and over real sockets: from before
// its recovery to the end of its stop.

import { join } from 'node:path';
import t from 'tap';
import { startController } from '../../src/assembly/controller.ts';
import { createLog } from '../../src/observe/logs.ts';
import { systemClock, systemRandom } from '../../src/platform/clock-and-random.ts';
import type { Config } from '../../src/settings/config.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { labelValuesOf, lint, valueIn } from '../monitoring/exposition.ts';
import { endProcess } from '../simulated/fatal.ts';
import { freePort } from '../system/free-ports.ts';

const lines: string[] = [];
const write = (line: string) => void lines.push(line);
const { log } = createLog({ level: 'info', clock: systemClock, readable: false, write });
const system = { clock: systemClock, random: systemRandom, log, fatal: endProcess };

function configOf(home: string, more: Readonly<Record<string, unknown>>): Config {
  return loadConfig({
    flags: { home, listen: 'localhost:0', directListen: 'localhost:0', adminUser: 'admin' },
    environment: {},
    directory: '/',
    cores: 2,
    readFile: () => JSON.stringify(more),
  });
}

async function stateAt(url: string): Promise<string> {
  try {
    const answer = await fetch(`${url}/health-checks`);
    const { data } = (await answer.json()) as { data: { state: string } };
    return `${answer.status} ${data.state}`;
  } catch {
    return 'closed';
  }
}

/** Asks again and again until `work` is over, and notes what it was told. */
async function during(work: Promise<unknown>, url: string, states: Set<string>): Promise<void> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  while (!isOver) states.add(await stateAt(url));
}

t.test('it opens before recovery and closes behind everything else', async (t) => {
  const home = t.testdir();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const states = new Set<string>();
  const started = startController(
    configOf(home, { metrics: { listen: `127.0.0.1:${port}` } }),
    system,
  );
  await during(started, url, states);
  const running = await started;
  try {
    t.ok(states.has('503 recovering'), 'recovery can be seen');
    t.equal(running.metricsUrl, url);
    t.equal(await stateAt(url), '200 ready');
    const text = await (await fetch(`${url}/metrics`)).text();
    t.same(lint(text), []);
    for (const listener of ['tls', 'direct']) {
      t.equal(valueIn(text, 'edge_control_listener_requests_total', { listener }), 0);
    }
    t.ok((valueIn(text, 'edge_control_tls_workers') ?? 0) >= 1);
    t.ok((valueIn(text, 'edge_control_recovery_duration_seconds') ?? 0) > 0);
    t.ok(valueIn(text, 'edge_control_event_loop_delay_seconds_count') !== undefined);
    t.notMatch([...labelValuesOf(text)].join('\n'), home, 'nobody is told where the home is');
  } finally {
    const stopped = running.stop();
    await during(stopped, url, states);
    await stopped;
  }
  t.ok(states.has('503 draining'), 'the stop can be seen');
  t.equal(await stateAt(url), 'closed');
});

t.test('a port in use keeps the controller from starting', async (t) => {
  const directory = t.testdir();
  const config = configOf(join(directory, 'first'), {});
  const first = await startController(
    { ...config, metrics: { ...config.metrics, listen: { host: '127.0.0.1', port: 0 } } },
    system,
  );
  try {
    const port = Number(new URL(first.metricsUrl ?? '').port);
    const listen = { host: '127.0.0.1', port };
    const home = join(directory, 'second');
    const second = startController(
      { ...config, home, metrics: { ...config.metrics, listen } },
      system,
    );
    await t.rejects(second, { name: 'StartProblem', message: /cannot listen on .* for metrics/ });
  } finally {
    await first.stop();
  }
});

t.test('it is off by default, and one that cannot start closes it', async (t) => {
  const home = t.testdir({ log: {} });
  const config = configOf(home, {});
  t.equal(config.metrics.listen, undefined);
  const port = await freePort();
  const listen = { host: '127.0.0.1', port };
  const broken = {
    ...config,
    pki: { ...config.pki, ca: '/does/not/exist.pem' },
    metrics: { ...config.metrics, listen },
  };
  await t.rejects(startController(broken, system), /pki\.ca is given without/);
  t.equal(await stateAt(`http://127.0.0.1:${port}`), 'closed');
});
