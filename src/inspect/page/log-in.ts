// The login: a password, a code if one is needed, and only for administrators.

import type { ApiSession, CurrentIdentity } from './answers.ts';
import { ApiProblem, type Ask } from './ask.ts';

/** The result of a step of a login. */
export type LogInStep =
  | { readonly step: 'factorOwed'; readonly token: string }
  | { readonly step: 'loggedIn'; readonly token: string; readonly name: string };

/** Creates the API client of a session. */
export type AskAs = (token: string) => Ask;

/** Takes name and password. @throws ApiProblem with a message for the user. */
export async function logIn(askAs: AskAs, username: string, password: string): Promise<LogInStep> {
  const body = { username, password };
  const { data } = await askAs('')<ApiSession>('/authenticate?method=password', {
    method: 'POST',
    body,
  });
  const owed = data.authQueries;
  if (owed.length === 0) return admitted(askAs, data.token);
  const [query] = owed;
  if (query?.typeId !== 'MFA') {
    await leave(askAs(data.token));
    throw new ApiProblem(401, 'FACTOR', 'This login owes a JWT, which the inspector cannot give.');
  }
  if (query.isTotpEnrolled === false) {
    await leave(askAs(data.token));
    throw new ApiProblem(401, 'FACTOR', 'Enroll in MFA first: your policy asks for a code.');
  }
  return { step: 'factorOwed', token: data.token };
}

/** Takes the code that a session still needs. @throws ApiProblem with a message for the user. */
export async function giveCode(askAs: AskAs, token: string, code: string): Promise<LogInStep> {
  await askAs(token)('/authenticate/mfa', { method: 'POST', body: { code } });
  return admitted(askAs, token);
}

/** Ends a session. It is no error if it has already ended. */
export async function leave(ask: Ask): Promise<void> {
  await ask('/current-api-session', { method: 'DELETE' }).catch(() => undefined);
}

async function admitted(askAs: AskAs, token: string): Promise<LogInStep> {
  const { data } = await askAs(token)<CurrentIdentity>('/current-identity');
  if (data.isAdmin || data.isDefaultAdmin === true) {
    return { step: 'loggedIn', token, name: data.name };
  }
  await leave(askAs(token));
  throw new ApiProblem(403, 'UNAUTHORIZED', 'Only administrators may look in here.');
}
