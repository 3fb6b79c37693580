// The page as users see it: by roles and names, never by its implementation.

import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { Person } from './stage.ts';
import type { Visitor } from './visitor.ts';

/** A user name and a password as they are typed. */
export type Credentials = Pick<Person, 'username' | 'password'>;

/** The inspector in the browser of a visitor. */
export class Inspector {
  readonly page: Page;
  readonly visitor: Visitor;

  constructor(visitor: Visitor) {
    this.visitor = visitor;
    this.page = visitor.page;
  }

  /** Opens a view by its address: `#/processes`. */
  async open(hash = ''): Promise<void> {
    await this.page.goto(`${this.visitor.origin}/inspect${hash}`);
  }

  /** Types name and password, and sends them. */
  async giveCredentials({ username, password }: Credentials): Promise<void> {
    await this.heading('Log in').waitFor();
    await this.page.getByRole('textbox', { name: 'User name' }).fill(username);
    await this.page.getByLabel('Password').fill(password);
    await this.button('Log in').click();
  }

  /** Types the code that a phone shows, and sends it. */
  async giveCode(code: string): Promise<void> {
    await this.heading('Second factor').waitFor();
    await this.page.getByRole('textbox', { name: 'Authentication code' }).fill(code);
    await this.button('Verify').click();
  }

  /** Opens a view and logs in on the way, until the stream is live. */
  async enter(credentials: Credentials, hash = ''): Promise<void> {
    await this.open(hash);
    await this.giveCredentials(credentials);
    await this.isLive();
  }

  /** Waits until the stream of transitions is there. */
  async isLive(): Promise<void> {
    await this.page.locator('.connection', { hasText: /^live$/ }).waitFor();
  }

  /** The one heading of a view. */
  heading(name: string | RegExp): Locator {
    return this.page.getByRole('heading', { level: 1, name, exact: true });
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  link(name: string): Locator {
    return this.page.getByRole('link', { name, exact: true });
  }

  region(name: string): Locator {
    return this.page.getByRole('region', { name, exact: true });
  }

  /** Goes to a view by the navigation at the top. */
  async goTo(view: 'Machines' | 'Map' | 'Transitions' | 'Processes' | 'Figures'): Promise<void> {
    const views = this.page.getByRole('navigation', { name: 'Views' });
    await views.getByRole('link', { name: view, exact: true }).click();
    await this.heading(view).waitFor();
  }

  /** Rows of the body of a table whose name begins so. */
  rows(table: string): Locator {
    return this.page.getByRole('table', { name: new RegExp(`^${table}`) }).locator('tbody tr');
  }

  /** The row of the transitions in which an instance took an event. */
  transition(table: string, event: string): Locator {
    const cell = this.page.locator('td', { hasText: new RegExp(`^${event}$`) });
    return this.rows(table).filter({ has: cell });
  }

  /** A row by the names of its columns. @throws when the table has no such row */
  async cells(row: Locator): Promise<Readonly<Record<string, string>>> {
    await row.first().waitFor();
    const table = row.first().locator('xpath=ancestor::table[1]');
    const names = await table.locator('thead th').allInnerTexts();
    const texts = await row.first().locator('th,td').allInnerTexts();
    return Object.fromEntries(names.map((name, n) => [name.trim(), (texts[n] ?? '').trim()]));
  }

  /** Waits until the state is lit in the statechart and said beside it. */
  async isIn(state: string): Promise<void> {
    const lit = this.page.locator('g.chart-state.is-current');
    await this.page.locator(`g.chart-state.is-current[data-state="${state}"]`).waitFor();
    assert.equal(await lit.count(), 1, 'one state is lit');
    await this.page
      .locator('.state-mark', { hasText: new RegExp(`^${state}$`) })
      .first()
      .waitFor();
  }

  /** Notes all that an element says from now on. @returns what tells it, in order */
  async listenTo(element: Locator): Promise<() => Promise<readonly string[]>> {
    const heard = await element.evaluateHandle(listener);
    return async () => (await heard.jsonValue()) as readonly string[];
  }

  /** The hash of the address. */
  get hash(): string {
    return decodeURIComponent(new URL(this.page.url()).hash);
  }

  /** Whether nothing is wider than the window. */
  async fitsItsWidth(): Promise<boolean> {
    return await this.page.evaluate(
      'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
    );
  }

  /** The name of what the keyboard acts upon; empty for nothing at all. */
  async focused(): Promise<string> {
    return await this.page.evaluate(focusedName);
  }
}

// What runs in the browser is text: there is no DOM among the types of the controller.

const focusedName = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return '';
  return element.ariaLabel || element.labels?.[0]?.innerText || element.innerText || '';
})()`;

const listener = new Function(
  'element',
  `const heard = [element.textContent];
   new MutationObserver(() => heard.push(element.textContent))
     .observe(element, { childList: true, characterData: true, subtree: true });
   return heard;`,
) as (element: unknown) => string[];
