// A visitor of the page: a browser context that records every request, answer, message and error.

import type { Browser, BrowserContext, Page, Request, Response, WebSocket } from 'playwright-core';
import { secretsIn } from '../system/secrets.ts';

/** Sizes that the page must be readable at, and the outermost ones. */
export const sizes = {
  wide: { width: 1280, height: 800 },
  narrow: { width: 390, height: 844 },
  widest: { width: 2560, height: 1440 },
  narrowest: { width: 360, height: 740 },
  /** Only pages of a login are used on it. */
  smallest: { width: 320, height: 568 },
} as const;

/** Light or dark, as the system of the visitor asks. */
export type Theme = 'light' | 'dark';

/** How somebody comes. */
export interface Appearance {
  readonly theme?: Theme;
  readonly size?: keyof typeof sizes;
  /** Whether the browser runs scripts; true when absent. */
  readonly scripts?: boolean;
}

/** Directives that the Content-Security-Policy of the login pages of OIDC must have at least. */
const loginPolicyParts = [
  "default-src 'none'",
  "style-src 'sha256-",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
];

/** Directives that the Content-Security-Policy of the inspector must have at least. */
const policyParts = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Answers this long are of no record: the bundle of the page is not searched. */
const searchedTypes = /json|html|plain/;

/** Every wait for something on the page; far more than any of them takes. */
const waitTimeoutMs = 15_000;

/** A page and what became known of it. */
export class Visitor {
  readonly page: Page;
  readonly origin: string;
  /** What went wrong so far, each a sentence. */
  readonly complaints: string[] = [];
  readonly #context: BrowserContext;
  readonly #secrets: ReadonlySet<string>;
  readonly #ownTokens = new Set<string>();
  readonly #refusals = new Map<number, number>();
  readonly #allowed = new Set<number>();
  readonly #reading = new Set<Promise<void>>();

  private constructor(page: Page, origin: string, secrets: ReadonlySet<string>) {
    this.page = page;
    this.origin = origin;
    this.#context = page.context();
    this.#secrets = secrets;
    page.on('request', (request) => this.#hearRequest(request));
    page.on('response', (response) => this.#hearResponse(response));
    page.on('websocket', (socket) => this.#hearSocket(socket));
    page.on('pageerror', (error) => this.complaints.push(`thrown on the page: ${error.message}`));
    page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) return;
      const text = message.text();
      const status = /the server responded with a status of (\d+)/.exec(text)?.[1];
      // The browser says so of each refusal; which of them were meant is counted by the answers.
      if (status === undefined) this.complaints.push(`said on the console: ${text}`);
    });
  }

  /** Opens an empty page. No other origin than `origin` may be asked for anything. */
  static async come(
    browser: Browser,
    origin: string,
    secrets: ReadonlySet<string>,
    { theme = 'light', size = 'wide', scripts = true }: Appearance = {},
  ): Promise<Visitor> {
    const context = await browser.newContext({
      colorScheme: theme,
      viewport: sizes[size],
      reducedMotion: 'reduce',
      javaScriptEnabled: scripts,
      acceptDownloads: false,
    });
    context.setDefaultTimeout(waitTimeoutMs);
    return new Visitor(await context.newPage(), origin, secrets);
  }

  /** So many answers of this status belong to what is done next. */
  expectRefusals(status: number, count = 1): void {
    this.#refusals.set(status, (this.#refusals.get(status) ?? 0) + count);
  }

  /** Answers of this status may come, many or none. */
  allowRefusals(status: number): void {
    this.#allowed.add(status);
  }

  /** Notes everything secret that stands in the page as it is now. */
  async searchPage(where: string): Promise<void> {
    const text = await this.page.content();
    this.#search(text, `the page, ${where}`, [...this.#secrets, ...this.#ownTokens]);
  }

  /** Leaves. @returns the complaints */
  async leave(): Promise<readonly string[]> {
    // Who is gone waits for no answer that never ends.
    const patience = setTimeout(() => void this.#context.close(), waitTimeoutMs);
    while (this.#reading.size > 0) await Promise.all(this.#reading);
    clearTimeout(patience);
    for (const [status, left] of this.#refusals) {
      if (left > 0) this.complaints.push(`${left} answers ${status} did not come`);
    }
    await this.#context.close();
    return this.complaints;
  }

  #search(text: string, where: string, known: Iterable<string> = this.#secrets): void {
    for (const around of secretsIn(text, known)) {
      this.complaints.push(`a secret stands in ${where}: …${around}…`);
    }
  }

  #hearRequest(request: Request): void {
    const url = request.url();
    if (url.startsWith('data:') || new URL(url).origin === this.origin) return;
    this.complaints.push(`asked another origin: ${request.method()} ${url}`);
  }

  #hearResponse(response: Response): void {
    const status = response.status();
    const left = this.#refusals.get(status) ?? 0;
    if (status >= 400 && !this.#allowed.has(status)) {
      if (left > 0) this.#refusals.set(status, left - 1);
      else this.complaints.push(`${response.request().method()} ${response.url()}: ${status}`);
    }
    const reading = this.#read(response).catch((thrown: unknown) => {
      // A body goes with the document that asked for it, and with the context.
      if (!/No resource|closed|evicted|navigated away/i.test(String(thrown)))
        this.complaints.push(String(thrown));
    });
    this.#reading.add(reading);
    void reading.then(() => this.#reading.delete(reading));
  }

  async #read(response: Response): Promise<void> {
    const headers = response.headers();
    const { pathname } = new URL(response.url());
    const isPage = (headers['content-type'] ?? '').includes('html');
    if (response.request().resourceType() === 'document' && isPage) {
      const policy = headers['content-security-policy'] ?? '';
      for (const part of pathname.startsWith('/oidc/') ? loginPolicyParts : policyParts) {
        if (!policy.includes(part)) this.complaints.push(`the policy lacks ${part}: ${policy}`);
      }
      if (/unsafe|\*/.test(policy)) this.complaints.push(`the policy is open: ${policy}`);
    }
    if (!searchedTypes.test(headers['content-type'] ?? '')) return;
    // Browsers keep no body of a redirect.
    const isRedirect = 'location' in headers;
    const text = isRedirect ? '' : await response.text();
    if (/\/authenticate\b/.test(response.url())) {
      const token = /"token":"([^"]+)"/.exec(text)?.[1];
      if (token !== undefined) this.#ownTokens.add(token);
    }
    this.#search(text, response.url());
  }

  #hearSocket(socket: WebSocket): void {
    const { protocol, host } = new URL(socket.url());
    if (protocol !== 'wss:' || host !== new URL(this.origin).host) {
      this.complaints.push(`opened another socket: ${socket.url()}`);
    }
    socket.on('framereceived', ({ payload }) => this.#search(String(payload), 'the stream'));
    socket.on('framesent', ({ payload }) => {
      this.#search(String(payload), 'what the stream was sent');
    });
  }
}
