// The controller behind the page: a small network with one of everything, users to log in as, and
// all secrets that must appear nowhere.

import { generateSync } from 'otplib';
import { Openssl } from '../simulated/openssl.ts';
import {
  type Api,
  type Client,
  client,
  connect,
  createNetwork,
  type Json,
  logIn,
  management,
} from '../system/client.ts';
import { type Endings, serveOnce, temporaryDirectory } from '../system/endings.ts';
import { furnish } from '../system/furnished.ts';
import { adminPassword, type Serving } from '../system/process.ts';
import { privateKeysIn } from '../system/secrets.ts';

/** Who logs in with a name and a password. */
export interface Person {
  /** Of the identity. */
  readonly id: string;
  readonly username: string;
  readonly password: string;
  /** The code that the phone shows; `steps` of 30 s from now. */
  code(steps?: number): string;
}

/** A controller with a furnished network. */
export class Stage {
  readonly serving: Serving;
  readonly http: Client;
  readonly admin: Api;
  readonly openssl: Openssl;
  /** Everything that neither page nor answer may show. */
  readonly secrets = new Set<string>([adminPassword]);
  #people = 0;

  private constructor(serving: Serving, http: Client, admin: Api, openssl: Openssl) {
    this.serving = serving;
    this.http = http;
    this.admin = admin;
    this.openssl = openssl;
  }

  /** Starts a controller, which is ended with `endings`, and fills it. */
  static async open(endings: Endings, config: object = {}): Promise<Stage> {
    const directory = temporaryDirectory(endings, 'edge-control-browser-');
    const serving = await serveOnce(endings, directory, config);
    const http = connect(endings, serving, connections);
    const admin = await logIn(http);
    const stage = new Stage(serving, http, admin, new Openssl(directory));
    const [service = ''] = await createNetwork(admin, 3);
    await furnish(admin, stage.openssl, service);
    for (const secret of [admin.token, ...privateKeysIn(directory)]) stage.secrets.add(secret);
    return stage;
  }

  /** A person with a password, and with a phone that shows codes where `mfa` is wanted. */
  async person(wanted: { readonly isAdmin?: boolean; readonly mfa?: boolean }): Promise<Person> {
    this.#people += 1;
    const username = `person-${this.#people}`;
    const password = `password-of-${username}`;
    this.secrets.add(password);
    const { isAdmin = false } = wanted;
    const id = await this.admin.create('identities', { name: username, type: 'Default', isAdmin });
    await this.admin.create('authenticators', {
      method: 'updb',
      identityId: id,
      username,
      password,
    });
    const secret = wanted.mfa === true ? await this.#setUpMfa(username, password) : '';
    const code = (steps = 0) => {
      if (secret === '') throw new Error(`${username} has no phone`);
      const epoch = Math.floor(Date.now() / 1000) + steps * stepSeconds;
      return generateSync({ secret, epoch });
    };
    return { id, username, password, code };
  }

  async #setUpMfa(username: string, password: string): Promise<string> {
    const api = await this.logIn({ username, password });
    const mfa = `${client}/current-identity/mfa`;
    await api.ask('POST', mfa);
    const { provisioningUrl, recoveryCodes } = await api.ask('GET', mfa);
    const secret = new URL(String(provisioningUrl)).searchParams.get('secret') ?? '';
    for (const word of [secret, ...(recoveryCodes as string[])]) this.secrets.add(word);
    await api.ask('POST', `${mfa}/verify`, { code: generateSync({ secret }) });
    await api.ask('DELETE', `${client}/current-api-session`);
    return secret;
  }

  /** Logs in over the API. */
  async logIn({ username, password }: Pick<Person, 'username' | 'password'>): Promise<Api> {
    const api = await logIn(this.http, username, password);
    this.secrets.add(api.token);
    return api;
  }

  /** An identity that waits for its enrollment. @returns what it needs for that */
  async invite(name: string): Promise<Invitation> {
    const body = { name, type: 'Default', isAdmin: false, enrollment: { ott: true } };
    const identityId = await this.admin.create('identities', body);
    const identity = await this.admin.ask('GET', `${management}/identities/${identityId}`);
    const { ott } = identity['enrollment'] as { readonly ott: Readonly<Record<string, string>> };
    const { id = '', jwt = '', token = '' } = ott;
    for (const secret of [jwt, token]) this.secrets.add(secret);
    return { identityId, enrollmentId: id, token };
  }

  /** Does what an SDK does with an invitation. */
  async enroll({ token }: Invitation): Promise<void> {
    const { pem } = this.openssl.request({ subject: '/CN=whoever' });
    const path = `${client}/enroll?method=ott&token=${token}`;
    const { status, error } = await this.http.call('POST', path, {
      body: pem,
      contentType: 'application/x-pem-file',
    });
    if (status !== 200) throw new Error(`enroll: ${status} ${JSON.stringify(error)}`);
  }

  /** Gives the second factor of a session. */
  async giveCode(api: Api, code: string): Promise<Json> {
    return await api.ask('POST', `${client}/authenticate/mfa`, { code });
  }
}

/** An enrollment that was asked for. */
export interface Invitation {
  readonly identityId: string;
  readonly enrollmentId: string;
  readonly token: string;
}

/** Of the load; requests of a flow come one after the other. */
const connections = 8;

/** Seconds of one TOTP step. */
const stepSeconds = 30;
