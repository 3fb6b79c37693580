// The credentials of a login: those of the flags, or those that the context used before.

import { resolve } from 'node:path';
import type { ProcessContext } from '../../../assembly/process-context.ts';
import type { ControllerOptions, Login } from '../../../client/index.ts';
import { CommandFailure } from '../command-failure.ts';
import { textOf } from '../connection/connection-plan.ts';
import type { Context, LoginMethod } from '../connection/contexts.ts';
import { readIdentityFile } from './identity-file.ts';
import { passwordOf, refuseWithoutPassword } from './password-input.ts';

type Flags = Readonly<Record<string, unknown>>;

/** What a login needs before anything is sent. */
export interface Credentials {
  readonly method: LoginMethod;
  readonly certificate?: ControllerOptions['certificate'];
  /** Addresses and CA of an identity file. */
  readonly urls?: readonly string[];
  readonly ca?: string | undefined;
  /** `browser` is a login by OIDC, for which a person types there. */
  readonly login: (() => Promise<Login>) | { readonly token: string } | 'browser';
}

/** Reads the flags of a login. @throws CommandFailure before anything is sent */
export function credentialsOf(
  flags: Flags,
  former: Context | undefined,
  context: ProcessContext,
): Credentials {
  const path = (key: string) => {
    const value = flags[key];
    return typeof value === 'string' ? resolve(context.directory, value) : undefined;
  };
  const [cert, key, identity] = [path('cert'), path('key'), path('identity')];
  const [jwtFile, tokenFile] = [path('jwtFile'), path('tokenFile') ?? variablePath(flags, context)];
  const user = typeof flags['user'] === 'string' ? flags['user'] : undefined;
  if ((cert === undefined) !== (key === undefined)) {
    throw CommandFailure.wrong('--cert and --key only make sense together.');
  }
  const oidc = flags['oidc'];
  const ways = [cert, identity, jwtFile, tokenFile, user, oidc].filter((way) => way !== undefined);
  if (ways.length > 1) {
    throw CommandFailure.wrong(
      '--user, --cert, --identity, --jwt-file, --token-file and --oidc exclude each other.',
    );
  }
  if (oidc === true) return browserLogin;
  if (cert !== undefined && key !== undefined) {
    return certificateLogin({ by: 'certificate', certFile: cert, keyFile: key }, context);
  }
  if (identity !== undefined) return certificateLogin({ by: 'identity', file: identity }, context);
  if (jwtFile !== undefined) {
    const jwt = textOf(context, jwtFile).trim();
    return { method: { by: 'jwt', file: jwtFile }, login: async () => ({ by: 'jwt', jwt }) };
  }
  if (tokenFile !== undefined) {
    const token = textOf(context, tokenFile).trim();
    return { method: { by: 'token', file: tokenFile }, login: { token } };
  }
  const known = former?.method;
  if (user !== undefined || known === undefined) return passwordLogin(user, flags, context);
  switch (known.by) {
    case 'password':
      return passwordLogin(known.username, flags, context);
    case 'certificate':
    case 'identity':
      return certificateLogin(known, context);
    case 'jwt':
      return credentialsOf({ jwtFile: known.file }, undefined, context);
    case 'token':
      return credentialsOf({ tokenFile: known.file }, undefined, context);
    case 'oidc':
      return browserLogin;
  }
}

const browserLogin: Credentials = { method: { by: 'oidc' }, login: 'browser' };

/** `EDGE_TOKEN_FILE`, unless a flag names another way to log in. */
function variablePath(flags: Flags, { environment, directory }: ProcessContext) {
  const isOther = ['cert', 'identity', 'jwtFile', 'user', 'oidc'].some(
    (key) => flags[key] !== undefined,
  );
  const { EDGE_TOKEN_FILE: variable } = environment;
  return variable && !isOther ? resolve(directory, variable) : undefined;
}

function certificateLogin(
  method: Extract<LoginMethod, { by: 'certificate' | 'identity' }>,
  context: ProcessContext,
): Credentials {
  const login = async (): Promise<Login> => ({ by: 'certificate' });
  if (method.by === 'certificate') {
    const [cert, key] = [textOf(context, method.certFile), textOf(context, method.keyFile)];
    return { method, certificate: { cert, key }, login };
  }
  const { certificate, urls, ca } = readIdentityFile(method.file, (path) => textOf(context, path));
  return { method, certificate, urls, ca, login };
}

function passwordLogin(
  username: string | undefined,
  flags: Flags,
  context: ProcessContext,
): Credentials {
  if (username === undefined) {
    throw CommandFailure.wrong(
      'say who logs in: --user NAME, --identity FILE, --cert and --key, --jwt-file, --token-file or --oidc.',
    );
  }
  refuseWithoutPassword(username, flags, context);
  const login = async (): Promise<Login> => ({
    by: 'password',
    username,
    password: await passwordOf(username, flags, context),
  });
  return { method: { by: 'password', username }, login };
}
