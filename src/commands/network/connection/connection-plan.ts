// How the controller that a command means is reached, and with which credentials: from a context, a
// URL or a home, without asking anybody.

import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { reasonOf } from '../../../../snapshots/errors.ts';
import { passwordName } from '../../../../snapshots/home/layout.ts';
import type { ProcessContext } from '../../../assembly/process-context.ts';
import type { ControllerOptions, Login } from '../../../client/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { readIdentityFile } from '../login/identity-file.ts';
import type { OidcProvider } from '../login/oidc-login.ts';
import type { LoginMethod, SavedSession } from './contexts.ts';
import type { Target } from './target.ts';

/** The flags that every command of the network takes. */
export type NetworkFlags = Readonly<Record<string, unknown>>;

/** How a connection is made and kept. */
export interface ConnectionPlan {
  readonly target: Target;
  /** How people know the target: `context ci`, or a home. */
  readonly shown: string;
  readonly options: ControllerOptions;
  /** Further nodes of a cluster, tried when the one of the options is not there. */
  readonly otherUrls: readonly string[];
  /** The key of its saved session; undefined where a token file takes the place of sessions. */
  readonly key: string | undefined;
  /** The token of a file. */
  readonly token?: string;
  /** Credentials that need nobody to type; undefined without any. */
  readonly login: (() => Promise<Login>) | undefined;
  /** Renews a session of OIDC; undefined once its refresh token is not taken any more. */
  readonly refresh?: (refreshToken: string) => Promise<SavedSession | undefined>;
}

/**
 * How a target is reached, without asking anybody.
 * @throws CommandFailure for files that are missing
 */
export async function planOf(
  target: Target,
  flags: NetworkFlags,
  context: ProcessContext,
): Promise<ConnectionPlan> {
  const timeoutMs = timeoutOf(flags);
  switch (target.is) {
    case 'context': {
      const { name, context: saved } = target;
      const [url = '', ...otherUrls] = saved.urls;
      const credentials = credentialsOf(saved.method, context);
      const ca = saved.ca ?? systemCas();
      const isOidc = saved.method.by === 'oidc';
      return {
        target,
        shown: `context ${name}`,
        options: {
          url,
          timeoutMs,
          ca,
          certificate: credentials.certificate,
        },
        otherUrls,
        key: credentials.token === undefined ? contextKey(name) : undefined,
        ...(credentials.token !== undefined && { token: credentials.token }),
        login: credentials.login,
        ...(isOidc && { refresh: refreshing({ url, ca, timeoutMs }, context) }),
      };
    }
    case 'url': {
      const { url, caFile, tokenFile } = target;
      if (tokenFile === undefined) {
        throw CommandFailure.notAllowed(
          `you are not logged in at ${url}: edge-control login ${url}`,
        );
      }
      const ca = caFile === undefined ? systemCas() : textOf(context, caFile);
      const token = textOf(context, tokenFile).trim();
      const options = { url, ca, timeoutMs };
      return {
        target,
        shown: url,
        options,
        otherUrls: [],
        key: undefined,
        token,
        login: undefined,
      };
    }
    case 'home':
      return await homePlan(target, timeoutMs, context);
  }
}

function refreshing(provider: OidcProvider, context: ProcessContext): ConnectionPlan['refresh'] {
  return async (refreshToken) => {
    const { refreshedSession } = await import('../login/oidc-login.ts');
    return await refreshedSession(provider, refreshToken, context);
  };
}

/** The key of a context's saved session. */
export function contextKey(name: string): string {
  return `context:${name}`;
}

/** The key of the saved session of an administrator of a home. */
export function homeKey(home: string, username: string): string {
  return `home:${home} as ${username}`;
}

interface Credentials {
  readonly certificate?: ControllerOptions['certificate'];
  readonly token?: string;
  readonly login: ConnectionPlan['login'];
}

function credentialsOf(method: LoginMethod, context: ProcessContext): Credentials {
  switch (method.by) {
    case 'password':
    case 'oidc':
      return { login: undefined };
    case 'certificate': {
      const [cert, key] = [textOf(context, method.certFile), textOf(context, method.keyFile)];
      return { certificate: { cert, key }, login: async () => ({ by: 'certificate' }) };
    }
    case 'identity': {
      const { certificate } = readIdentityFile(method.file, (path) => textOf(context, path));
      return { certificate, login: async () => ({ by: 'certificate' }) };
    }
    case 'jwt': {
      const { file } = method;
      return { login: async () => ({ by: 'jwt', jwt: textOf(context, file).trim() }) };
    }
    case 'token':
      return { token: textOf(context, method.file).trim(), login: undefined };
  }
}

/** Next to a home, its administrator's password is at hand. */
async function homePlan(
  target: Extract<Target, { is: 'home' }>,
  timeoutMs: number | undefined,
  context: ProcessContext,
): Promise<ConnectionPlan> {
  const { home } = target;
  const { loadConfig } = await import('../../../settings/config.ts');
  const { caOf, findController } = await import('../../backup/reach-controller.ts');
  const config = loadConfig({ ...context, flags: { home } });
  const { url, host } = await findController(config, { url: undefined }, context);
  const { adminUser: username, adminPassword } = config;
  const file = join(home, passwordName);
  const login = async (): Promise<Login> => {
    if (adminPassword !== undefined) return { by: 'password', username, password: adminPassword };
    if (context.disk.exists(file)) {
      return { by: 'password', username, password: textOf(context, file).trim() };
    }
    throw CommandFailure.notAllowed(
      `the password of ${username} is not kept in ${file}: edge-control login ${url} --ca ${home}/pki/ca.pem --user ${username}`,
    );
  };
  return {
    target,
    shown: `the home ${home}`,
    options: { url, host, timeoutMs, ca: caOf(config, {}, context) },
    otherUrls: [],
    key: homeKey(home, username),
    login,
  };
}

/** PEM of the CAs that Node trusts. */
export function systemCas(): string {
  return rootCertificates.join('\n');
}

/** The text of a file. @throws CommandFailure if it cannot be read */
export function textOf(context: Pick<ProcessContext, 'readFile'>, path: string): string {
  try {
    return context.readFile(path);
  } catch (error) {
    throw CommandFailure.wrong(`${path} cannot be read: ${reasonOf(error)}.`);
  }
}

/** The time limit of `--timeout`, in ms. @throws CommandFailure */
export function timeoutOf({ timeout }: NetworkFlags): number | undefined {
  if (timeout === undefined) return undefined;
  const seconds = Number(timeout);
  if (seconds > 0 && seconds <= 86_400) return Math.ceil(seconds * 1000);
  throw CommandFailure.wrong(
    `--timeout is ${JSON.stringify(timeout)} but must be seconds, up to 86400.`,
  );
}
