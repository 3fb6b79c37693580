// Somebody with a password and a second factor.

import { setTimeout } from 'node:timers/promises';
import { appCode } from '../../../simulated/authenticator-app.ts';
import { type Api, client } from '../../client.ts';
import { authenticate, type Holder, isLetIn, type Reached } from './holder.ts';

const stepMs = 30_000;

/** Where the second factor of a session is shown. */
const factorPath = `${client}/current-identity/mfa`;

/** A password, a secret for codes, and recovery codes. */
export class TwoFactorHolder implements Holder {
  readonly name: string;
  readonly identityId: string;
  readonly #credentials: { readonly username: string; readonly password: string };
  #provisioningUrl = '';
  #recoveryCodes: string[] = [];
  /** A controller takes the code of a step once. */
  #lastStep = 0;

  constructor(identityId: string, credentials: { username: string; password: string }) {
    this.name = credentials.username;
    this.identityId = identityId;
    this.#credentials = credentials;
  }

  /** Enrolls the second factor, and proves it with a code. */
  async enroll(at: Reached): Promise<void> {
    const api = await this.#logInByPassword(at);
    await api.ask('POST', factorPath, {});
    const shown = await api.ask('GET', factorPath);
    this.#provisioningUrl = String(shown['provisioningUrl']);
    this.#recoveryCodes = (shown['recoveryCodes'] as readonly unknown[]).map(String);
    await api.ask('POST', `${factorPath}/verify`, { code: await this.#code() });
  }

  /** Logs in by password and code. */
  async logIn(at: Reached): Promise<Api> {
    return await this.#logInWith(at, await this.#code());
  }

  /** Logs in by password and each recovery code, which is spent then. @returns how many */
  async spendRecoveryCodes(at: Reached): Promise<number> {
    const codes = this.#recoveryCodes.splice(0);
    for (const code of codes) await isLetIn(await this.#logInWith(at, code), this.identityId);
    const [spent = ''] = codes;
    const isTaken = await this.#logInWith(at, spent).then(
      () => true,
      () => false,
    );
    if (isTaken) throw new Error('a recovery code was taken twice');
    return codes.length;
  }

  async #logInByPassword(at: Reached): Promise<Api> {
    return await authenticate(at.connect(), 'password', this.#credentials);
  }

  async #logInWith(at: Reached, code: string): Promise<Api> {
    const api = await this.#logInByPassword(at);
    await api.ask('POST', `${client}/authenticate/mfa`, { code });
    return api;
  }

  /** The code of a step that was not used, perhaps of the next one, which is accepted, too. */
  async #code(): Promise<string> {
    const step = Math.max(Math.floor(Date.now() / stepMs), this.#lastStep + 1);
    await setTimeout((step - 1) * stepMs - Date.now());
    this.#lastStep = step;
    return appCode(this.#provisioningUrl, step * stepMs);
  }
}
