// The files of examples/cluster, as far as one machine can check them: settings by our own reader,
// the compose file by the schema of its specification, units by systemd's own tool.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import t from 'tap';
import { parse } from 'yaml';
import { loadConfig } from '../../src/settings/config.ts';
import { formatHostPort } from '../../src/settings/setting-type.ts';
import { evaluateUnit, withoutSystemd } from './systemd-units.ts';

const examples = join(import.meta.dirname, '../../examples/cluster');
const document = readFileSync(join(import.meta.dirname, '../../docs/cluster.md'), 'utf8');
const textOf = (name: string) => readFileSync(join(examples, name), 'utf8');

/** The settings of the example, as a node of it reads them. */
function configuration() {
  return loadConfig({
    flags: { home: '/var/lib/edge-control/home' },
    environment: {},
    directory: '/',
    cores: 2,
    readFile: () => textOf('config.json'),
  });
}

t.test('config.json is taken as settings of a node', async (t) => {
  const { cluster, notices } = configuration();
  t.match(cluster, {
    listen: { host: '0.0.0.0', port: 1290 },
    advertise: { host: 'n1.example', port: 1290 },
    replicas: 3,
  });
  t.equal(cluster?.servers.length, 3);
  const [port] = /(?<=^http: ")[^"]+/m.exec(textOf('nats.conf')) ?? [];
  t.same(cluster?.monitoring.map(formatHostPort), [port], 'the server of the same machine');
  t.same(notices, []);
});

t.test('the document lists the ports of the examples', async (t) => {
  const table = /^\| port \| who connects \|\n(.*?)\n\n/ms.exec(document)?.[1] ?? '';
  const listed = [...table.matchAll(/\b\d{4}\b/g)].map(([port]) => Number(port)).sort();
  const { listen, ctrlListen, metrics, cluster } = configuration();
  const ofNode = [listen, ctrlListen, metrics.listen, cluster?.listen].map((at) => at?.port);
  const ofNats = [...textOf('nats.conf').matchAll(/^\s*(?:listen|http): "[^"]*:(\d+)"/gm)];
  t.equal(ofNats.length, 3);
  t.same([...ofNode, ...ofNats.map(([, port]) => Number(port))].sort(), listed);
});

t.test('NATS servers let in no server without a login or a certificate', async (t) => {
  const clusterOf = (text: string) => /^cluster \{\n(.*?)^\}/ms.exec(text)?.[1] ?? '';
  const inDocument = clusterOf(document);
  t.match(inDocument, /^ {2}authorization \{ user: route, password: "route-password" \}$/m);
  const routes = [...inDocument.matchAll(/"nats:\/\/([^"]+)"/g)].map(([, route]) => route);
  t.same(
    routes,
    [6221, 6222, 6223].map((port) => `route:route-password@127.0.0.1:${port}`),
  );
  t.match(clusterOf(textOf('nats.conf')), /^ {4}verify: true$/m);
  const example = /^## Example on one machine\n(.*?)^## /ms.exec(document)?.[1] ?? '';
  t.match(example, /^```sh\numask 077\nmkdir /m, 'nobody else reads the passwords');
});

t.test('compose.yaml is valid, and mounts what the configurations name', async (t) => {
  const compose = parse(textOf('compose.yaml')) as {
    readonly services: Readonly<Record<string, { readonly volumes: readonly string[] }>>;
  };
  const schema = join(import.meta.dirname, 'compose/compose-spec.json');
  // Its formats are hints, and it has keywords of its own.
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(
    JSON.parse(
      readFileSync(schema, 'utf8').replace('https://json-schema.org', 'http://json-schema.org'),
    ),
  );
  t.ok(validate(compose), JSON.stringify(validate.errors));
  t.notOk(validate({ ...compose, service: {} }), 'the schema refuses what it does not know');

  const mountedIn = (service: string) =>
    compose.services[service]?.volumes.map((volume) => volume.split(':')[1] ?? '') ?? [];
  const named = textOf('nats.conf').matchAll(/"(\/etc\/nats\/[^"]+|\/var\/lib\/nats)"/g);
  for (const [, path = ''] of named) t.ok(mountedIn('nats').includes(path), path);
  t.ok(mountedIn('nats').includes('/etc/nats/accounts.conf'), 'what nats.conf includes');
  for (const path of textOf('config.json').match(/\/etc\/edge-control\/[^"]+/g) ?? []) {
    t.ok(mountedIn('edge-control').includes('/etc/edge-control'), path);
  }
});

t.test('the units start for ever again what has ended', async (t) => {
  for (const name of ['edge-control.service', 'nats.service']) {
    const [beginning = '', service = ''] = textOf(name).split('[Service]');
    t.match(beginning, /^StartLimitIntervalSec=0$/m, name);
    t.match(service, /^Restart=always$/m, name);
    t.match(service, /^RestartSec=[1-5]$/m, name);
    t.notMatch(service, /^RestartPreventExitStatus=/m, `${name}: also after a refused start`);
  }
});

t.test('the units are valid and hardened', { skip: withoutSystemd() }, async (t) => {
  const directory = t.testdir({});
  for (const name of ['edge-control.service', 'nats.service']) {
    t.equal(evaluateUnit(directory, name, textOf(name)), '', name);
  }
});
