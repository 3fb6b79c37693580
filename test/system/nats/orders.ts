// Orders to real servers, as an operator gives them.

import { strict as assert } from 'node:assert';
import { NatsLink } from '../../../src/cluster/nats/link.ts';
import { systemClock } from '../../../src/platform/clock-and-random.ts';
import { type NatsServer, type NatsServers, until } from './server.ts';

/** Asks servers for something until they do not refuse it. @returns their answer */
export async function asked(
  servers: NatsServers,
  left: readonly NatsServer[],
  user: 'init' | 'system',
  subject: string,
  order: object,
): Promise<string> {
  const access = servers.access('init', left);
  const system = { kind: 'password', user, password: user } as const;
  const own = user === 'system' ? { ...access, credentials: system } : access;
  const link = new NatsLink(own, systemClock, 'check');
  let answer = '';
  try {
    await until(`${subject} is answered`, async () => {
      const message = await link.ask(({ connection }) =>
        connection.request(subject, JSON.stringify(order)),
      );
      answer = message.string();
      assert.doesNotMatch(answer, /"error"/);
      return true;
    });
  } finally {
    await link.close();
  }
  return answer;
}

/** Lets a server lead a stream. */
export async function moveLead(
  servers: NatsServers,
  stream: string,
  server: NatsServer,
): Promise<void> {
  const subject = `$JS.API.STREAM.LEADER.STEPDOWN.${stream}`;
  const order = { placement: { preferred: server.name } };
  await until(`${server.name} leads ${stream}`, async () => {
    if ((await servers.leaderOf(stream)) === server) return true;
    await asked(servers, servers.all, 'init', subject, order);
    return false;
  });
}
