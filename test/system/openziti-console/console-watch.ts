// Watches a page of the console: what it asks for, what is refused, what goes wrong in it.

import type { Page } from 'playwright-core';

/**
 * What the stock console asks of other hosts and gets along without: icons of its map of
 * controllers, the tiles of that map, and the version of each member of a cluster, whose port it
 * leaves out.
 */
const foreign =
  /\bhttps:\/\/(fonts\.googleapis\.com\/|[\w.]*tile\.openstreetmap\.org\/|localhost\/edge\/)/;

/**
 * What the console asks for and every controller refuses: it copes with the answer. The form of a
 * new entity asks for what belongs to it.
 */
const swallowed = /\/terminators\?.*filter=identity$|\/undefined\//;

/** A page that is watched until the browser ends. */
export class ConsoleWatch {
  readonly origin: string;
  #complaints: string[] = [];
  readonly #expected: number[] = [];

  constructor(page: Page, origin: string) {
    this.origin = origin;
    page.on('pageerror', ({ message }) => this.#complaints.push(`thrown on the page: ${message}`));
    page.on('console', (message) => {
      const text = message.text();
      if (/Content Security Policy/.test(text) && !foreign.test(text)) {
        this.#complaints.push(`said on the console: ${text}`);
      }
    });
    page.on('requestfinished', (request) => {
      const url = request.url();
      if (/^(data|blob):/.test(url) || new URL(url).origin === origin) return;
      this.#complaints.push(`reached another origin: ${url}`);
    });
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText ?? '';
      // The rest of a page that was left.
      if (reason === 'net::ERR_ABORTED' || foreign.test(request.url())) return;
      this.#complaints.push(`failed: ${request.url()}: ${reason}`);
    });
    page.on('response', (response) => {
      const status = response.status();
      if (status < 400 || swallowed.test(response.url())) return;
      const index = this.#expected.indexOf(status);
      if (index >= 0) this.#expected.splice(index, 1);
      else this.#complaints.push(`${response.request().method()} ${response.url()}: ${status}`);
    });
  }

  /** One answer of this status belongs to what is done next. */
  expectRefusal(status: number): void {
    this.#expected.push(status);
  }

  /** The complaints since the last call, a refusal that did not come among them. */
  take(): readonly string[] {
    const taken = this.#complaints;
    this.#complaints = [];
    for (const status of this.#expected.splice(0)) taken.push(`no answer ${status} came`);
    return taken;
  }
}
