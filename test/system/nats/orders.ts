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
  let answer = '';
  await linked(servers, left, user, async (link) => {
    await until(`${subject} is answered`, async () => {
      answer = await answerTo(link, subject, order);
      assert.doesNotMatch(answer, /"error"/);
      return true;
    });
  });
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
  await linked(servers, servers.all, 'init', async (link) => {
    await until(`${server.name} leads ${stream}`, async () => {
      if ((await servers.leaderOf(stream)) === server) return true;
      // Refused while the servers elect, and when it leads by now: the next look tells.
      await answerTo(link, subject, order);
      return false;
    });
  });
}

async function answerTo(link: NatsLink, subject: string, order: object): Promise<string> {
  const message = await link.ask(({ connection }) =>
    connection.request(subject, JSON.stringify(order)),
  );
  return message.string();
}

async function linked(
  servers: NatsServers,
  left: readonly NatsServer[],
  user: 'init' | 'system',
  use: (link: NatsLink) => Promise<void>,
): Promise<void> {
  const access = servers.access('init', left);
  const system = { kind: 'password', user, password: user } as const;
  const own = user === 'system' ? { ...access, credentials: system } : access;
  const link = new NatsLink(own, systemClock, 'check');
  try {
    await use(link);
  } finally {
    await link.close();
  }
}
