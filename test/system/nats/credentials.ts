// Checks with credentials files: an operator, accounts and users as JWTs, as `nsc` makes them.

import { strict as assert } from 'node:assert';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import type { NatsAccess } from '../../../src/cluster/nats/link.ts';
import { type Endings, temporaryDirectory } from '../endings.ts';
import { freePorts } from '../free-ports.ts';
import { linesWith } from '../process.ts';
import { natsServerBinary } from './binary.ts';
import { type Check, follow, message, open, publishAll, untilIn } from './check.ts';
import { Cluster } from './cluster.ts';
import { NatsServer, NatsServers, payloadBytesMin, until } from './server.ts';
import { look, Writes } from './writes.ts';

type Keys = ReturnType<typeof nkeys.createUser>;

const unlimited = -1;

/** What holds for credentials files. */
export const credentialsChecks: readonly Check[] = [
  {
    name: 'credentials that expire interrupt a node until the file has new ones',
    body: async (world) => {
      const directory = temporaryDirectory(world.endings, 'edge-control-nats-');
      const { server, account } = await operatorServer(directory);
      world.endings.teardown(() => server.kill());
      server.start();
      await server.ready();
      let file = credentialsUntil(account, Math.floor(Date.now() / 1000) + 4);
      const access: NatsAccess = {
        servers: [`127.0.0.1:${server.port}`],
        credentials: { kind: 'file', read: () => Buffer.from(file) },
        payloadBytesMin,
      };
      const { stream, resources } = open(world, access);
      await resources.create();
      const told = follow(world, stream, 1);
      await publishAll(stream, ['one']);
      await until('the reader has the first', () => told.texts.length === 1);
      await until('the reader is interrupted', () =>
        told.reasons.some((reason) => /Auth/i.test(reason)),
      );
      // The server ends each connection at a moment of its own, that of the writer perhaps later.
      let last = 1;
      await until('the writer is interrupted', async () => {
        const { outcome } = await stream.publish(message('between'), last);
        if (outcome === 'acknowledged') last += 1;
        return outcome === 'unknown';
      });
      file = credentialsUntil(account, Math.floor(Date.now() / 1000) + 3600);
      await untilIn(stream, 'two', last);
      await until('the reader has the last', () => told.texts.at(-1) === 'two');
      assert.equal(told.texts.length, last + 1);
    },
  },
];

/** What whole controllers promise of them. */
export const failingCredentialsChecks: readonly Check[] = [
  {
    name: 'failures: the credentials of a follower expire, and are replaced',
    body: async ({ endings }) => {
      const { server, credentialsOf, write } = await serverWithFiles(endings);
      for (const index of [0, 1]) write(index, 3600);
      const servers = new NatsServers([server], undefined);
      const cluster = await Cluster.running({ servers, endings, count: 1, credentialsOf }, 2);
      assert.equal((await cluster.process(1).stop()).code, 0);
      write(1, 10);
      await cluster.start(1);
      const writes = new Writes();
      await writes.createAtLast(await cluster.admin(1));
      await expired(cluster);
      // Its front relays clients as before.
      await writes.createAtLast(await cluster.admin(1));
      write(1, 3600);
      await cluster.well(2);
      await until('the node knows of the others again', async () => {
        return !(await cluster.health(1)).failing.has('cluster-members');
      });
      await writes.lookUp(await cluster.admin(1));
    },
  },
  {
    name: 'failures: the credentials of a leader expire, and are replaced',
    body: async ({ endings }) => {
      const { server, credentialsOf, write } = await serverWithFiles(endings);
      for (const index of [0, 1, 2]) write(index, 3600);
      const servers = new NatsServers([server], undefined);
      const configuration = { limits: { stalledWriteAnswerMs: 300 } };
      const cluster = await Cluster.running(
        {
          servers,
          endings,
          count: 1,
          credentialsOf,
          configuration,
        },
        3,
      );
      const writes = new Writes();
      const api = await cluster.admin(0);
      await writes.createAtLast(api);
      // It reads the file for its next connection, and that lasts for a while at most.
      write(0, 5);
      await server.kill();
      server.start();
      await server.ready();
      await leaderExpired(cluster);
      assert.equal(await look(api), 503);
      await cluster.awaitLead([1, 2]);
      for (const index of [1, 2]) await writes.createAtLast(await cluster.admin(index));
      await until('status says that the node is away', async () => {
        const { problems } = await cluster.status(1);
        return problems.some((text) =>
          text.startsWith(`${cluster.nodeId(0)} has been silent for `),
        );
      });
      write(0, 3600);
      assert.equal((await cluster.process(0).ended).code, 3);
      await cluster.start(0);
      await cluster.well();
      await writes.lookUp(await cluster.admin(0));
    },
  },
];

/** A server that takes JWTs, and the file of each node with one. */
async function serverWithFiles(endings: Endings) {
  const directory = temporaryDirectory(endings, 'edge-control-nats-');
  const { server, account } = await operatorServer(directory);
  endings.teardown(() => server.kill());
  server.start();
  await server.ready();
  const credentialsOf = (index: number) => join(directory, `${index}.creds`);
  const write = (index: number, lastsSeconds: number) => {
    const text = credentialsUntil(account, Math.floor(Date.now() / 1000) + lastsSeconds);
    writeFileSync(credentialsOf(index), text, { mode: 0o600 });
  };
  return { server, credentialsOf, write };
}

/** Node 0, which leads, has no contact any more, and says why. */
async function leaderExpired(cluster: Cluster): Promise<void> {
  const reason = /Authorization/i;
  await until('the health of the node says why it has no contact', async () => {
    const { status, role, failing } = await cluster.health(0);
    const told = failing.get('cluster') ?? '';
    return status === 503 && role === 'isolated' && reason.test(told);
  });
  await until('its log says why', () => {
    const messages = [
      'the node has lost contact to the NATS servers and answers nothing until it is back',
      'the node of the cluster has trouble',
    ];
    const lines = messages.flatMap((message) => linesWith(cluster.process(0), message));
    return lines.some(({ role, trouble }) => role === 'isolated' && reason.test(String(trouble)));
  });
  const { code, stderr } = await cluster.status(0);
  assert.equal(code, 1);
  assert.match(stderr, /cannot be asked: .*Authorization/);
}

/** Node 1 has no contact any more; it and the others say so. */
async function expired(cluster: Cluster): Promise<void> {
  const problem = 'the NATS servers do not tell how the other nodes are';
  await until('the health of the node tells that it hears nothing', async () => {
    const { status, role, failing } = await cluster.health(1);
    assert.deepEqual([status, role], [200, 'following']);
    return failing.get('cluster-members') === problem;
  });
  const message = 'not all nodes of the cluster are well';
  await until('its log says why', () => {
    const lines = linesWith(cluster.process(1), message);
    const told = lines.find((line) => line['problem'] === problem);
    return /Auth|expired/i.test(String(told?.['reason']));
  });
  await until('status says that the node is away', async () => {
    const { code, problems } = await cluster.status(0);
    const beginning = `${cluster.nodeId(1)} has been silent for `;
    return code === 1 && problems.some((text) => text.startsWith(beginning));
  });
}

/** A server that trusts an operator of its own, with an account for the data set. */
async function operatorServer(directory: string) {
  const [operator, system, account] = [
    nkeys.createOperator(),
    nkeys.createAccount(),
    nkeys.createAccount(),
  ];
  const [port = 0, monitoringPort = 0] = await freePorts(2);
  const home = join(directory, 'n1');
  mkdirSync(home);
  const preload = [system, account].map(
    (each) => `  ${each.getPublicKey()}: ${accountJwt(operator, each, each === account)}`,
  );
  const configuration = [
    'server_name: n1',
    `listen: "127.0.0.1:${port}"`,
    `http: "127.0.0.1:${monitoringPort}"`,
    'max_payload: 8388608',
    `jetstream { store_dir: ${JSON.stringify(home)}, sync_interval: always }`,
    `operator: ${jwt(operator, operator, { type: 'operator' })}`,
    `system_account: ${system.getPublicKey()}`,
    'resolver: MEMORY',
    'resolver_preload: {',
    ...preload,
    '}',
  ].join('\n');
  const binary = natsServerBinary();
  const server = new NatsServer({ binary, name: 'n1', port, monitoringPort, home, configuration });
  return { server, account };
}

/** The account of the system may not keep anything. */
function accountJwt(operator: Keys, account: Keys, keeps: boolean): string {
  const room = keeps ? unlimited : 0;
  const limits = {
    subs: unlimited,
    data: unlimited,
    payload: unlimited,
    imports: unlimited,
    exports: unlimited,
    wildcards: true,
    conn: unlimited,
    leaf: unlimited,
    mem_storage: room,
    disk_storage: room,
    streams: unlimited,
    consumer: unlimited,
  };
  return jwt(operator, account, { type: 'account', limits });
}

/** A credentials file of a new user. */
function credentialsUntil(account: Keys, expiresAtSeconds: number): string {
  const user = nkeys.createUser();
  const limits = { subs: unlimited, data: unlimited, payload: unlimited };
  const facts = { type: 'user', pub: {}, sub: {}, ...limits };
  const token = jwt(account, user, facts, expiresAtSeconds);
  const seed = Buffer.from(user.getSeed()).toString();
  return [
    '-----BEGIN NATS USER JWT-----',
    token,
    '------END NATS USER JWT------',
    '',
    '-----BEGIN USER NKEY SEED-----',
    seed,
    '------END USER NKEY SEED------',
    '',
  ].join('\n');
}

function jwt(issuer: Keys, subject: Keys, facts: object, expiresAtSeconds?: number): string {
  const claims = {
    jti: subject.getPublicKey(),
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name: 'check',
    nats: { ...facts, version: 2 },
    exp: expiresAtSeconds,
  };
  const head = { typ: 'JWT', alg: 'ed25519-nkey' };
  const text = [head, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`;
}
