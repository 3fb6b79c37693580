// `login`, `logout`, `use`, `whoami` and `contexts`.

import { resolve } from 'node:path';
import type { ProcessContext } from '../../../assembly/process-context.ts';
import { answered, ControllerClient } from '../../../client/index.ts';
import { printable } from '../../../platform/printable.ts';
import { CommandFailure } from '../command-failure.ts';
import { failureOf } from '../connection/client-failure.ts';
import { type Connection, loggedIn, savedOf } from '../connection/connection.ts';
import { contextKey, systemCas, textOf, timeoutOf } from '../connection/connection-plan.ts';
import {
  type Context,
  ContextFiles,
  type Contexts,
  type SavedSession,
} from '../connection/contexts.ts';
import { certificatesIn, fingerprintOf, shortFingerprints } from '../connection/fingerprints.ts';
import { contextTarget, controllerUrl } from '../connection/target.ts';
import { trustedRoots } from '../connection/trust.ts';
import { pairLines } from '../output/output.ts';
import { localTime } from '../output/times.ts';
import { type Credentials, credentialsOf } from './login-credentials.ts';
import { giveSecondFactor } from './second-factor.ts';

type Flags = Readonly<Record<string, unknown>>;

/**
 * Logs in, and keeps the context and its session.
 * @param given the address as typed; without one, that of the identity file or the present context
 * @throws CommandFailure
 */
export async function logIn(
  given: string | undefined,
  flags: Flags,
  context: ProcessContext,
): Promise<void> {
  const files = new ContextFiles(context);
  const contexts = files.contexts();
  const nameGiven = nameTyped(flags);
  if (flags['enrollmentJwt'] !== undefined) {
    const { enrolledFlags } = await import('./enrollment-login.ts');
    return await logIn(undefined, await enrolledFlags(given, flags, context), context);
  }
  const former = given === undefined ? formerContext(flags, contexts) : undefined;
  const credentials = credentialsOf(flags, former?.context, context);
  const urls =
    given !== undefined ? [controllerUrl(given)] : (credentials.urls ?? former?.context.urls);
  const [url] = urls ?? [];
  if (urls === undefined || url === undefined) {
    throw CommandFailure.wrong('say where to log in: edge-control login HOST:PORT');
  }
  const name = nameGiven ?? former?.name ?? contextNameOf(urls, contexts.contexts);
  const known = Object.hasOwn(contexts.contexts, name) ? contexts.contexts[name] : undefined;
  const ca = await caOf(url, flags, { known, credentials, context });
  const client = new ControllerClient({
    url,
    ca: ca ?? systemCas(),
    certificate: credentials.certificate,
    timeoutMs: timeoutOf(flags),
  });
  try {
    const session = await sessionOf(client, { url, ca, credentials, flags, context });
    const who = await identityOf(client);
    const saved: Context = {
      urls: [...urls],
      ...(ca !== undefined && { ca }),
      method: credentials.method,
    };
    await files.changeContexts((present) => ({
      ...present,
      current: name,
      contexts: { ...present.contexts, [name]: saved },
    }));
    await files.keepSession(contextKey(name), session);
    context.out(`logged in as ${printable(who)}, context ${printable(name)}\n`);
  } catch (error) {
    throw failureOf(error);
  } finally {
    client.close();
  }
}

function formerContext(flags: Flags, contexts: Contexts) {
  const name = typeof flags['context'] === 'string' ? flags['context'] : contexts.current;
  if (name === undefined) return undefined;
  const target = contextTarget(contexts, name);
  return target.is === 'context' ? target : undefined;
}

/** @throws CommandFailure for a name that no file may have as a member */
function nameTyped({ name }: Flags): string | undefined {
  if (typeof name !== 'string') return undefined;
  if (/^[\p{L}\p{N}._-]{1,100}$/u.test(name) && name !== '__proto__') return name;
  throw CommandFailure.wrong(
    `--name is ${JSON.stringify(name)} but must be up to 100 letters, digits, dots, - and _.`,
  );
}

/** The host; with its port if another context has the host already. */
function contextNameOf(
  urls: readonly string[],
  contexts: Readonly<Record<string, Context>>,
): string {
  const { hostname, host } = new URL(urls[0] ?? '');
  for (const [name, { urls: known }] of Object.entries(contexts)) {
    if (known.some((url) => urls.includes(url))) return name;
  }
  return Object.hasOwn(contexts, hostname) ? host : hostname;
}

interface TrustSources {
  readonly known: Context | undefined;
  readonly credentials: Credentials;
  readonly context: ProcessContext;
}

/** The CAs to trust as PEM; undefined for those of the system. @throws CommandFailure */
async function caOf(
  url: string,
  flags: Flags,
  { known, credentials, context }: TrustSources,
): Promise<string | undefined> {
  const typed = typeof flags['ca'] === 'string' ? flags['ca'] : undefined;
  const fingerprint =
    typeof flags['caFingerprint'] === 'string' ? flags['caFingerprint'] : undefined;
  if (typed !== undefined && fingerprint !== undefined) {
    throw CommandFailure.wrong('--ca and --ca-fingerprint exclude each other.');
  }
  const mayReplace = flags['replaceCa'] === true;
  const given = typed ?? (fingerprint === undefined ? context.environment['EDGE_CA'] : undefined);
  let ca: string | undefined;
  if (given === 'system') ca = undefined;
  else if (given) ca = certificatesOf(textOf(context, resolve(context.directory, given)), given);
  else if (fingerprint === undefined && credentials.ca !== undefined) ca = credentials.ca;
  else if (fingerprint === undefined && known !== undefined && !mayReplace) return known.ca;
  else ca = await trustedRoots(url, fingerprint, context);
  refuseOtherCa(known, ca, mayReplace);
  return ca;
}

function certificatesOf(pem: string, shown: string): string {
  try {
    if (certificatesIn(pem).length > 0) return pem;
  } catch {
    // Said below.
  }
  throw CommandFailure.wrong(`${shown} holds no certificate in PEM.`);
}

/** A context goes on trusting what was agreed to at its first login. */
function refuseOtherCa(
  known: Context | undefined,
  ca: string | undefined,
  mayReplace: boolean,
): void {
  if (known === undefined || mayReplace || known.ca === ca) return;
  const fingerprints = (pem: string | undefined) =>
    pem === undefined ? ['those of the system'] : certificatesIn(pem).map(fingerprintOf);
  const [before, after] = [fingerprints(known.ca), fingerprints(ca)];
  if (after.some((one) => before.includes(one))) return;
  throw CommandFailure.unreachable(
    `the CA is another one than at the first login: ${after.join(', ')} instead of ${before.join(', ')}. ` +
      'If that is right: edge-control login --replace-ca',
  );
}

interface SessionOrder {
  readonly url: string;
  readonly ca: string | undefined;
  readonly credentials: Credentials;
  readonly flags: Flags;
  readonly context: ProcessContext;
}

/** A new session, with its second factor; undefined where a token was given. */
async function sessionOf(
  client: ControllerClient,
  { url, ca = systemCas(), credentials: { login }, flags, context }: SessionOrder,
): Promise<SavedSession | undefined> {
  if (login === 'browser') {
    const { loggedInByBrowser } = await import('./oidc-login.ts');
    const provider = { url, ca, timeoutMs: timeoutOf(flags) };
    const session = await loggedInByBrowser(provider, flags['browser'] !== false, context);
    client.useToken(session.token);
    return session;
  }
  if (typeof login !== 'function') {
    client.useToken(login.token);
    return undefined;
  }
  const session = await loggedIn(client, await login());
  if (session.authQueries.length > 0) await giveSecondFactor(client, context);
  return savedOf(session);
}

/** `admin (administrator)`, `deploy (permissions: service, config)`. */
async function identityOf(client: ControllerClient): Promise<string> {
  const { data } = await answered(client.management.GET('/current-identity'));
  return `${data.name ?? data.id}${rightsText(data, ' (', ')')}`;
}

interface Rights {
  readonly isAdmin?: boolean | undefined;
  readonly permissions?: readonly string[] | null | undefined;
}

function rightsText({ isAdmin, permissions }: Rights, open: string, close = ''): string {
  if (isAdmin === true) return `${open}administrator${close}`;
  if (!permissions || permissions.length === 0) return '';
  return `${open}permissions: ${permissions.join(', ')}${close}`;
}

/** Ends the session of the connection's context or home. */
export async function logOut(connection: Connection, context: ProcessContext): Promise<void> {
  const isOver = await connection.logOut();
  const text = isOver ? 'logged out of' : 'there was no session of';
  context.out(`${text} ${printable(connection.shown)}\n`);
}

/** Makes a context the current one, or says which one is. @throws CommandFailure */
export async function useContext(name: string | undefined, context: ProcessContext): Promise<void> {
  const files = new ContextFiles(context);
  const contexts = files.contexts();
  if (name === undefined) {
    if (contexts.current !== undefined) return context.out(`${printable(contexts.current)}\n`);
    throw CommandFailure.notFound('no context is current: edge-control login, or use NAME.');
  }
  contextTarget(contexts, name);
  await files.changeContexts((present) => ({ ...present, current: name }));
  context.out(`context ${printable(name)} is current\n`);
}

/** Lists the contexts, and marks the current one. */
export function listContexts(context: ProcessContext): void {
  const { contexts, current } = new ContextFiles(context).contexts();
  const rows = Object.entries(contexts).map(([name, { urls, method }]) => {
    const who = method.by === 'password' ? method.username : method.by;
    return [name, `${urls.join(' ')}  ${who}${name === current ? '  (current)' : ''}`] as const;
  });
  for (const line of pairLines(rows)) context.out(`${line}\n`);
}

/** Forgets a context and its session. @throws CommandFailure */
export async function deleteContext(name: string, context: ProcessContext): Promise<void> {
  const files = new ContextFiles(context);
  contextTarget(files.contexts(), name);
  await files.keepSession(contextKey(name), undefined);
  await files.changeContexts(({ contexts, current, ...rest }) => {
    const { [name]: _gone, ...others } = contexts;
    const left = current === name ? undefined : current;
    return { ...rest, contexts: others, ...(left !== undefined && { current: left }) };
  });
  context.out(`deleted context ${printable(name)}\n`);
}

/** Says which controller a command would ask, and as whom. @throws CommandFailure */
export async function whoAmI(connection: Connection, context: ProcessContext): Promise<void> {
  const { data: version } = (await connection.ask('GET', '/version')) as {
    readonly data: { readonly version: string };
  };
  const { data: identity } = (await connection.ask('GET', '/current-identity')) as {
    readonly data: Rights & { readonly name?: string; readonly id: string };
  };
  const { data: session } = (await connection.ask('GET', '/current-api-session')) as {
    readonly data: { readonly expiresAt?: string };
  };
  const { target } = connection;
  const shown =
    target.is === 'context'
      ? target.name
      : target.is === 'home'
        ? `${target.home} (the home here)`
        : target.url;
  const pairs = [
    ['context', shown],
    ['controller', `${connection.url}, ${version.version}`],
    [
      'CA',
      target.is === 'context' && target.context.ca === undefined
        ? 'those of the system'
        : shortFingerprints(connection.ca).join(', '),
    ],
    ['identity', `${identity.name ?? identity.id}${rightsText(identity, ', ')}`],
    ...(session.expiresAt === undefined
      ? []
      : [
          [
            'session',
            `until ${localTime(session.expiresAt, context.clock.now())} if nothing is asked`,
          ] as const,
        ]),
  ] as const;
  for (const line of pairLines(pairs)) context.out(`${line}\n`);
}
