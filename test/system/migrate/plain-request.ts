// Requests whose answers are no JSON: some operations of the stock controller answer nothing.

import { Agent, request } from 'undici';
import type { Method } from '../client.ts';

/** A request to an address by whoever has the token or the JWT of a signer. */
export interface PlainRequest {
  readonly url: string;
  readonly ca: string;
  readonly method: Method;
  readonly path: string;
  readonly token?: string;
  readonly jwt?: string;
  readonly body?: unknown;
}

/** Sends a request. @returns the text of the answer @throws unless it succeeded */
export async function sendPlain({ url, ca, ...wanted }: PlainRequest): Promise<string> {
  const { method, path, token, jwt, body } = wanted;
  const dispatcher = new Agent({ connect: { ca } });
  const { statusCode, body: answer } = await request(`${url}${path}`, {
    method,
    body: body === undefined ? null : JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { 'zt-session': token }),
      ...(jwt === undefined ? {} : { authorization: `Bearer ${jwt}` }),
    },
    dispatcher,
  });
  const text = await answer.text();
  await dispatcher.close();
  if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
  return text;
}
