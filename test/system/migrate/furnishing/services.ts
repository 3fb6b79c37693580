// Services with their configs, and what hosts and guards them.

import { attributes, happens, nestedData, perhaps, someOf, tagsOf } from './choices.ts';
import { type Furnishing, make, makeMany } from './furnishing.ts';

/** Ids of what was made. */
export interface Services {
  readonly services: readonly string[];
  readonly configs: readonly string[];
}

const builtIn = { intercept: 'g7cIWbcGg', host: 'NH5p4FpGR' } as const;

/** Makes config types, configs, services and posture checks. */
export async function makeServices(furnishing: Furnishing): Promise<Services> {
  const { dice } = furnishing;
  const configs = await makeConfigs(furnishing);
  const services = await makeMany(furnishing, 'services', dice.integer(15, 40), (number) => ({
    name: `service ${number}${dice.one(['', ' ünï', '.dot'])}`,
    encryptionRequired: happens(dice, 7),
    roleAttributes: perhaps(dice, () => someOf(dice, attributes)),
    configs: perhaps(dice, () => distinctTypes(someOf(dice, configs, 2))),
    terminatorStrategy: dice.one([undefined, 'smartrouting', 'weighted', 'random', 'sticky']),
    maxIdleTimeMillis: perhaps(dice, () => dice.integer(1, 90_000_000), 3),
    tags: tagsOf(dice),
  }));
  await makePostureChecks(furnishing);
  for (const name of ['fabric alone', 'fabric idle']) {
    const idle = name === 'fabric idle' ? ['--max-idle-time', '5m'] : [];
    await furnishing.network.ziti.must('fabric', 'create', 'service', name, ...idle);
  }
  return { services, configs: configs.map(({ id }) => id) };
}

interface MadeConfig {
  readonly id: string;
  readonly typeId: string;
}

/** A service has one config of a type. */
function distinctTypes(configs: readonly MadeConfig[]): string[] {
  return [...new Map(configs.map(({ id, typeId }) => [typeId, id])).values()];
}

async function makeConfigs(furnishing: Furnishing): Promise<MadeConfig[]> {
  const { dice } = furnishing;
  const own = [
    await make(furnishing, 'config-types', { name: 'free', schema: {}, tags: tagsOf(dice) }),
    await make(furnishing, 'config-types', { name: 'own', schema: ownSchema }),
  ];
  const configs: MadeConfig[] = [];
  const create = async (name: string, typeId: string, data: unknown) => {
    const body = { name, configTypeId: typeId, data, tags: tagsOf(dice) };
    configs.push({ id: await make(furnishing, 'configs', body), typeId });
  };
  for (let number = 0; number < 8; number += 1) {
    for (const typeId of own) await create(`${typeId} ${number}`, typeId, nestedData(dice));
    await create(`intercept ${number}`, builtIn.intercept, interceptOf(number));
    await create(`host ${number}`, builtIn.host, hostOf(number));
  }
  return configs;
}

const ownSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  additionalProperties: true,
  properties: { never: { type: 'string', enum: ['a', 'b'], maxLength: 3 } },
};

function interceptOf(number: number) {
  return {
    protocols: ['tcp', 'udp'],
    addresses: [`printer-${number}.hall`, `10.0.${number}.0/24`],
    portRanges: [
      { low: 80, high: 80 },
      { low: 9100, high: 9100 + number },
    ],
    dialOptions: { identity: '$dst_ip', connectTimeoutSeconds: number + 1 },
  };
}

function hostOf(number: number) {
  return {
    protocol: 'tcp',
    address: `10.0.0.${number}`,
    port: 1000 + number,
    listenOptions: { precedence: 'default', cost: number },
    portChecks: [
      {
        address: `10.0.0.${number}:80`,
        interval: '5s',
        timeout: '1s',
        actions: [{ trigger: 'fail', consecutiveEvents: 3, action: 'mark unhealthy' }],
      },
    ],
  };
}

async function makePostureChecks(furnishing: Furnishing): Promise<void> {
  const { dice } = furnishing;
  for (const [number, sought] of postureChecks.entries()) {
    await make(furnishing, 'posture-checks', {
      name: `${sought.typeId} ${number}`,
      ...sought,
      roleAttributes: someOf(dice, ['guarded', 'strict']),
      tags: tagsOf(dice),
    });
  }
}

const processOf = { osType: 'Linux', path: '/sbin/agent' };

const postureChecks = [
  {
    typeId: 'OS',
    operatingSystems: [
      { type: 'Linux', versions: ['>=5.0.0', '>4.9.0 <4.10.0'] },
      { type: 'macOS', versions: [] },
    ],
  },
  { typeId: 'DOMAIN', domains: ['corp.example', 'Lab.example'] },
  { typeId: 'MAC', macAddresses: ['00:00:5E:00:53:01', '00-00-5e-00-53-02'] },
  {
    typeId: 'PROCESS',
    process: { ...processOf, hashes: ['00FF', 'ab12'], signerFingerprint: 'AB'.repeat(20) },
  },
  {
    typeId: 'PROCESS_MULTI',
    semantic: 'AnyOf',
    processes: [
      { ...processOf, hashes: ['00ff'], signerFingerprints: ['cd'.repeat(20)] },
      { osType: 'Windows', path: 'C:\\agent.exe', hashes: [], signerFingerprints: [] },
    ],
  },
  { typeId: 'MFA', timeoutSeconds: 3600, promptOnWake: true, promptOnUnlock: false },
  { typeId: 'MFA', timeoutSeconds: -1, promptOnWake: false, ignoreLegacyEndpoints: true },
];
