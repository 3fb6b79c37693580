// A home that `edge-control migrate` has made, and the controllers that serve it at the address of
// the former one.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, type Client, connect, logIn } from '../client.ts';
import type { Endings } from '../endings.ts';
import { type Ended, Process, runToEnd } from '../process.ts';
import { directoryVariable } from './peer-files.ts';
import { type PeerNetwork, peerAdministrator } from './peer-network.ts';

/** A network of the stock program as a home of ours; `of` migrates one. */
export class MigratedHome {
  readonly home: string;
  /** What the command printed. */
  readonly report: string;
  readonly url: string;
  /** The root that clients of the former controller trust. */
  readonly ca: string;
  readonly #endings: Endings;
  #process: Process | undefined;
  /** What former processes said. */
  #previousLog = '';

  private constructor(endings: Endings, network: PeerNetwork, home: string, report: string) {
    this.#endings = endings;
    this.home = home;
    this.report = report;
    this.url = network.url;
    this.ca = network.ca;
  }

  /** Migrates a stopped network. @throws with what was printed when that fails */
  static async of(endings: Endings, network: PeerNetwork, name = 'home'): Promise<MigratedHome> {
    const home = join(network.directory, name);
    const source = ['--from', network.database, '--config', network.configuration];
    const variables = network.shape.hasVariables
      ? ['--set-variable', `${directoryVariable}=${network.directory}`]
      : [];
    const words = ['migrate', ...source, '--home', home, '--sessions', 'keep', ...variables];
    const { code, stdout, stderr } = await runToEnd(endings, words);
    if (code !== 0) throw new Error(`migrate ended with ${code}:\n${stdout}${stderr}`);
    return new MigratedHome(endings, network, home, stdout);
  }

  /** What all processes have said. */
  get log(): string {
    return this.#previousLog + (this.#process?.stderr ?? '');
  }

  /** Starts a controller on the home, or on one that is made of it, and waits until it serves. */
  async start(home = this.home, flags: readonly string[] = []): Promise<void> {
    this.#process = new Process(this.#endings, ['run', '--home', home, ...flags], {});
    await this.#process.says('stdout', 'ready ');
  }

  /** Ends the controller by a signal, if one runs. */
  async end(signal: NodeJS.Signals): Promise<Ended> {
    const running = this.#process;
    if (running === undefined) return { code: 0, signal: null, stdout: '', stderr: '' };
    running.signal(signal);
    const ended = await running.ended;
    this.#previousLog += ended.stderr;
    this.#process = undefined;
    return ended;
  }

  /** Connections that show no certificate, or this one. */
  connect(shown: { readonly cert?: string; readonly key?: string } = {}): Client {
    return connect(this.#endings, { url: this.url, ca: this.ca, ...shown });
  }

  /** Logs in as the administrator of the former network. */
  async logIn(): Promise<Api> {
    const { username, password } = peerAdministrator;
    return await logIn(this.connect(), username, password);
  }

  /** The report as JSON. */
  get reportJson(): string {
    const file = join(this.home, 'migration.json');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }
}
