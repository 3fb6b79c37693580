// What `ziti fabric inspect` must find out at the controller and at two stock routers.

import type { MadeRouter } from '../overlay/network.ts';
import type { Steps } from '../overlay/steps.ts';
import type { ZitiCommand } from './ziti-command.ts';

/** Names, with who answers each of them. */
const names: Readonly<Record<string, 'controller' | 'routers' | 'all' | 'nobody'>> = {
  'cluster-config': 'nobody',
  config: 'all',
  'connected-routers': 'controller',
  'identity-connection-statuses': 'all',
  links: 'routers',
  metrics: 'all',
  'router-circuits': 'routers',
  'router-controllers': 'routers',
  'router-data-model': 'all',
  'router-data-model-index': 'all',
  'router-edge-circuits': 'routers',
  'router-messaging': 'controller',
  'router-sdk-circuits': 'routers',
  'sdk-terminators': 'routers',
  stackdump: 'all',
  'terminator-costs': 'controller',
};

/** One value that a node has answered. */
interface Value {
  readonly appId: string;
  readonly name: string;
  readonly value: unknown;
}

/** Asks for each name. */
export async function inspect(
  steps: Steps,
  ziti: ZitiCommand,
  routers: readonly MadeRouter[],
): Promise<void> {
  const routerIds = new Set(routers.map(({ id }) => id));
  for (const [name, who] of Object.entries(names)) {
    await steps.step(`inspect ${name}`, async () => {
      const { stdout } = await ziti.must('fabric', 'inspect', name, '-j');
      const answer = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
        readonly success: boolean;
        readonly values: readonly Value[] | null;
      };
      const nodes = new Set((answer.values ?? []).map(({ appId }) => appId));
      const fromRouters = [...nodes].filter((id) => routerIds.has(id)).length;
      const isAnswered = nodes.size > fromRouters;
      const wantsRouters = who === 'routers' || who === 'all';
      const wantsController = who === 'controller' || who === 'all';
      if (fromRouters !== (wantsRouters ? routerIds.size : 0) || isAnswered !== wantsController) {
        throw new Error(`it was answered by ${[...nodes]}`);
      }
      if (/eyJ[\w-]+\.[\w-]+\.[\w-]+|PRIVATE KEY/.test(stdout))
        throw new Error('it shows a secret');
      await ziti.must('fabric', 'inspect', name);
    });
  }
}
