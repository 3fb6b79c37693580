// What a client sends with a login or a code: JSON, or a form (behaviour/oidc#logins).

import Type, { type Static } from 'typebox';
import { checkBody } from '../declare/resources/validate.ts';
import { type Login, loginBody } from '../resources/authentication/authentication-session.ts';
import type { Context } from './context.ts';
import { formOf } from './parameters.ts';

/** A certificate request in PEM, at a login or a refresh. @bound per request */
export const csrCharactersMax = 16_384;

/** The body of a login in JSON. */
export const loginInput = Type.Object({
  ...loginBody.properties,
  id: Type.Optional(Type.String({ maxLength: 200 })),
  csrPem: Type.Optional(Type.String({ maxLength: csrCharactersMax })),
  /** Only forms have it. */
  formToken: Type.Optional(Type.String({ maxLength: 200 })),
});

/** The body of a code in JSON. A recovery code has 6 characters, a TOTP code 6 to 8. */
export const codeInput = Type.Object({
  id: Type.Optional(Type.String({ maxLength: 200 })),
  code: Type.Optional(Type.String({ maxLength: 13 })),
  formToken: Type.Optional(Type.String({ maxLength: 200 })),
});

/** A login as it was sent. */
export type LoginInput = Static<typeof loginInput>;

/** A code as it was sent. */
export type CodeInput = Static<typeof codeInput>;

/** The input of a login, whichever form it was sent in. @throws ApiError 400. */
export function loginInputOf(context: Context<LoginInput>): LoginInput {
  const { rawBody, body } = context;
  if (rawBody === undefined) return body;
  const form = formOf(rawBody);
  const names = ['id', 'username', 'password', 'csrPem', 'formToken'];
  const configTypes = form
    .getAll('configTypes')
    .flatMap((value) => value.split(','))
    .filter((name) => name !== '');
  return checkBody(loginInput, {
    ...present(form, names, (name) => name),
    ...(configTypes.length === 0 ? {} : { configTypes }),
    ...group('envInfo', present(form, envNames, afterPrefix('env'))),
    ...group('sdkInfo', present(form, sdkNames, afterPrefix('sdk'))),
  }) as LoginInput;
}

/** The input of a code, whichever form it was sent in. @throws ApiError 400. */
export function codeInputOf(context: Context<CodeInput>): CodeInput {
  const { rawBody, body } = context;
  if (rawBody === undefined) return body;
  const fields = present(formOf(rawBody), ['id', 'code', 'formToken'], (name) => name);
  return checkBody(codeInput, fields) as CodeInput;
}

/** The id of the authorization request, which clients name in three ways. */
export function requestIdIn(context: Context, { id }: { readonly id?: string }): string {
  return id || context.query.get('authRequestID') || context.query.get('id') || '';
}

/** What a login says of the client, without what belongs to the provider alone. */
export function loginOf({ id, csrPem, formToken, ...login }: LoginInput): Login {
  return login;
}

const envNames = ['envArch', 'envOs', 'envOsRelease', 'envOsVersion', 'envDomain', 'envHostname'];

const sdkNames = [
  'sdkType',
  'sdkVersion',
  'sdkRevision',
  'sdkBranch',
  'sdkAppId',
  'sdkAppVersion',
  // As the Go SDK writes it.
  'sdkAppID',
];

/** `envOsRelease` becomes `osRelease`. */
function afterPrefix(prefix: string): (name: string) => string {
  return (name) => {
    const rest = name.slice(prefix.length);
    const named = rest.charAt(0).toLowerCase() + rest.slice(1);
    return named === 'appID' ? 'appId' : named;
  };
}

/** A field without a value is as if it were not there (RFC 6749 §3.1): the Go SDK sends all. */
function present(
  form: URLSearchParams,
  names: readonly string[],
  nameOf: (name: string) => string,
): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const name of names) {
    const value = form.get(name);
    if (value) fields[nameOf(name)] = value;
  }
  return fields;
}

function group(name: string, fields: Readonly<Record<string, string>>): object {
  return Object.keys(fields).length === 0 ? {} : { [name]: fields };
}
