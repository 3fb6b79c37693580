// What the runs of real clients share: a network for one identity, the client as a process that is
// told what to do on standard input, and what the controller must know of it afterwards.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { secretMask } from '../../src/errors/errors.ts';
import { Openssl } from '../simulated/openssl.ts';
import { type Api, connect, createNetwork, type Json, logIn, management } from './client.ts';
import { type Endings, endsWell, serveOnce, temporaryDirectory } from './endings.ts';
import { furnish, furnished } from './furnished.ts';
import { adminPassword } from './process.ts';

/** Far more than a client takes that reaches no router. */
const clientTimeoutMs = 60_000;
const lookEveryMs = 100;

/** A command with its words. */
export type Command = readonly [string, ...string[]];

/** The name of the identity that each client enrolls. */
const identityName = 'stranger';

/** What a client of `befriend` is, and what it does. */
export interface Stranger {
  readonly command: Command;
  /** The sessions it makes. */
  readonly types: readonly ('Dial' | 'Bind')[];
  /** Configuration of the controller that it needs. */
  readonly config?: object;
  /** The sort of its API session (behaviour/api-sessions#sorts); `legacy` when absent. */
  readonly sort?: 'legacy' | 'jwt';
}

/**
 * Has a real client enroll, log in and make sessions. Its input is a line of JSON: `{url, jwt,
 * identityFile, service, host, port, username, password, ca}`, the last three for the management
 * API. The input ends when the sessions are there; the client must then end with 0.
 *
 * @returns whether all is well, the controller's log included
 */
export async function befriend(endings: Endings, stranger: Stranger): Promise<boolean> {
  const directory = temporaryDirectory(endings, 'edge-control-client-');
  const config = { log: { level: 'debug' }, ...stranger.config };
  const serving = await serveOnce(endings, directory, config);
  const admin = await logIn(connect(endings, serving));
  const [service = ''] = await createNetwork(admin, 3);
  await furnish(admin, new Openssl(directory), service);
  const jwt = await inviteStranger(admin);
  const identityFile = join(directory, 'stranger.json');
  const child = startClient(endings, stranger.command, {
    url: serving.readyUrl,
    jwt,
    identityFile,
    ca: serving.ca,
    service: furnished.service,
    ...furnished.address,
    username: 'admin',
    password: adminPassword,
  });
  const isKnown = await makesSessions(child, admin, stranger.types);
  const { sort = 'legacy' } = stranger;
  const isOfSort = (await admin.all('api-sessions')).some(({ type }) => type === sort);
  if (!isOfSort) console.log(`the client has no API session of the sort ${sort}`);
  const isDone = await endsByItself(child);
  const tokens = [tokenOf(jwt), ...(await tokensOf(admin))];
  const secrets = [adminPassword, jwt, ...tokens, ...secretsOf(identityFile)];
  return (await endsWell(serving, secrets)) && isDone && isKnown && isOfSort;
}

/** @returns the JWT of an identity that waits for its enrollment */
async function inviteStranger(admin: Api): Promise<string> {
  const body = { name: identityName, type: 'Default', isAdmin: false, enrollment: { ott: true } };
  const id = await admin.create('identities', body);
  const { enrollment } = await admin.ask('GET', `${management}/identities/${id}`);
  return (enrollment as { readonly ott: { readonly jwt: string } }).ott.jwt;
}

/** The single-use token of an enrollment JWT. */
function tokenOf(jwt: string): string {
  const [, claims = ''] = jwt.split('.');
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { jti: string }).jti;
}

function startClient(endings: Endings, [name, ...args]: Command, order: Json): ChildProcess {
  const child = spawn(name, args, {
    env: { PATH: process.env['PATH'], HOME: temporaryDirectory(endings, 'edge-control-home-') },
    stdio: ['pipe', 'inherit', 'inherit'],
    timeout: clientTimeoutMs,
    killSignal: 'SIGKILL',
  });
  endings.teardown(() => child.kill('SIGKILL'));
  child.stdin?.on('error', () => undefined);
  child.stdin?.write(`${JSON.stringify(order)}\n`);
  return child;
}

/** Looks until there is a session of each type for the service, or the client has ended. */
async function makesSessions(
  child: ChildProcess,
  admin: Api,
  types: readonly string[],
): Promise<boolean> {
  for (;;) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    const rows = await admin.all('sessions');
    const made = rows.filter(({ service }) => (service as Json)['name'] === furnished.service);
    const found = made.map(({ type }) => type);
    const isAll = types.every((type) => found.includes(type));
    if (isAll || hasEnded) {
      console.log(`sessions that the controller knows: ${found.join(', ') || 'none'}`);
      return isAll;
    }
    await setTimeout(lookEveryMs);
  }
}

async function endsByItself(child: ChildProcess): Promise<boolean> {
  child.stdin?.end();
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  const { exitCode, signalCode } = child;
  if (exitCode !== 0) console.log(`the client ended with ${signalCode ?? exitCode}`);
  return exitCode === 0;
}

async function tokensOf(admin: Api): Promise<string[]> {
  const rows = [...(await admin.all('api-sessions')), ...(await admin.all('sessions'))];
  const shown = rows.map(({ token }) => String(token)).filter((token) => token !== secretMask);
  return [admin.token, ...shown];
}

/** The lines of the private key in an identity file. */
function secretsOf(identityFile: string): string[] {
  if (!existsSync(identityFile)) return [];
  const { id } = JSON.parse(readFileSync(identityFile, 'utf8')) as { id: { key: string } };
  return id.key.split('\n').filter((line) => /^[\w+/=]{16,}$/.test(line));
}
