// The manifest of examples/kubernetes: true to the image, to the settings and to itself.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/settings/config.ts';
import { defaultLimits } from '../../src/settings/limits.ts';
import { ConfigProblem } from '../../src/settings/setting-type.ts';
import { environmentOf, readDockerfile, textsOf, wordsOf } from './dockerfile.ts';

const path = join(import.meta.dirname, '../../examples/kubernetes/edge-control.yaml');
const image = readDockerfile().at(-1);
if (image === undefined) throw new Error('the Dockerfile has no stage');

interface Port {
  readonly name: string;
  readonly port: number;
  readonly containerPort: number;
  readonly targetPort: string;
}

interface Named {
  readonly name: string;
  readonly value: string;
  readonly mountPath: string;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string; readonly scheme?: string };
}

interface Container extends Record<`${'startup' | 'readiness' | 'liveness'}Probe`, Probe> {
  readonly env: readonly Named[];
  readonly ports: readonly Port[];
  readonly volumeMounts: readonly Named[];
  readonly securityContext: object;
}

interface Pod {
  readonly containers: readonly [Container];
  readonly securityContext: { readonly runAsUser: number };
  readonly terminationGracePeriodSeconds: number;
  readonly volumes: readonly { readonly secret: { readonly secretName: string } }[];
}

interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly stringData: { readonly password: string };
  readonly spec: {
    readonly replicas: number;
    readonly serviceName: string;
    readonly ports: readonly Port[];
    readonly selector: object;
    readonly template: { readonly metadata: { readonly labels: object }; readonly spec: Pod };
  };
}

const resources = parseAllDocuments(readFileSync(path, 'utf8')).map(
  (document) => document.toJS() as Resource,
);
const ofKind = (kind: string) => resources.filter((one) => one.kind === kind);
const [set] = ofKind('StatefulSet');
const [secret] = ofKind('Secret');
if (set === undefined || secret === undefined) throw new Error('the manifest is not whole');
const pod = set.spec.template.spec;
const [container] = pod.containers;
const environment = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));

/** The settings of the pod, with this text in each file that it reads. */
function configuration(fileText: string) {
  return loadConfig({
    flags: {},
    environment: { ...environmentOf(image ?? { base: '', instructions: [] }), ...environment },
    directory: '/',
    cores: 2,
    readFile: (name) => (name === environment['EDGE_ADMIN_PASSWORD_FILE'] ? fileText : '{}'),
  });
}

t.test('the ports are those on which the controller listens', async (t) => {
  const config = configuration('secret password');
  t.same(config.notices, []);
  const ports = Object.fromEntries(container.ports.map((port) => [port.name, port.containerPort]));
  t.same(ports, {
    api: config.listen.port,
    ctrl: config.ctrlListen?.port,
    metrics: config.metrics.listen?.port,
  });
  const services = ofKind('Service');
  t.equal(services.length, 3);
  for (const { spec } of services) {
    t.same(spec.selector, set.spec.template.metadata.labels);
    for (const { port, targetPort } of spec.ports) t.equal(ports[targetPort], port);
  }
  t.ok(services.some(({ metadata }) => metadata.name === set.spec.serviceName));
  for (const name of ['startupProbe', 'readinessProbe', 'livenessProbe'] as const) {
    t.ok(container[name].httpGet.port in ports, name);
  }
  t.equal(container.startupProbe.httpGet.path, '/health-checks');
  t.equal(container.readinessProbe.httpGet.path, '/health-checks');
});

t.test('the pod has no rights, and the time that a stop may take', async (t) => {
  t.equal(set.spec.replicas, 1);
  t.match(pod.securityContext, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  t.equal(`${pod.securityContext.runAsUser}`, textsOf(image, 'USER').at(-1)?.split(':')[0]);
  t.match(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  t.ok(pod.terminationGracePeriodSeconds * 1000 > defaultLimits.drainTimeoutMs);
});

t.test('the volume holds the home, and the password has to be chosen', async (t) => {
  const mounted = container.volumeMounts.map(({ mountPath }) => mountPath);
  t.ok(mounted.includes(wordsOf(image, 'VOLUME')[0] ?? ''));
  t.ok(mounted.some((at) => environment['EDGE_ADMIN_PASSWORD_FILE'] === `${at}/password`));
  t.equal(pod.volumes[0]?.secret.secretName, secret.metadata.name);
  t.throws(() => configuration(secret.stringData.password), ConfigProblem);
  t.equal(configuration('chosen password').adminPassword, 'chosen password');
});
