// The page without a mouse.

import assert from 'node:assert/strict';
import type { Flow } from '../flow.ts';
import type { Inspector } from '../inspector.ts';
import { administrator } from './log-in.ts';

/** Tabs from one end of the page to the other are far fewer. */
const tabsMax = 120;

/** Presses Tab until something of this name has the focus. @throws when nothing has */
async function tabTo(
  { page, focused }: { page: Inspector['page']; focused(): Promise<string> },
  name: RegExp,
): Promise<void> {
  const passed: string[] = [];
  while (passed.length < tabsMax) {
    await page.keyboard.press('Tab');
    const now = await focused();
    if (name.test(now)) return;
    passed.push(now);
  }
  throw new Error(`no ${name} among ${passed.join(', ')}`);
}

/** Everything by Tab, Enter and arrows. */
export const keyboardFlow: Flow = {
  title: 'all of it can be used by the keyboard alone',
  async walk({ stage, come }) {
    const person = await stage.person({});
    const inspector = await come();
    const { page } = inspector;
    const { keyboard } = page;
    await inspector.open();
    await inspector.heading('Log in').waitFor();
    const tab = (name: RegExp) => tabTo({ page, focused: () => inspector.focused() }, name);
    const at = await inspector.focused();
    if (!/User name/.test(at)) await tab(/User name/);
    await keyboard.type(administrator.username);
    await tab(/Password/);
    await keyboard.type(administrator.password);
    await keyboard.press('Enter');
    await inspector.heading('Machines').waitFor();
    await inspector.isLive();
    assert.equal(await inspector.focused(), 'Machines', 'a new view has the focus');
    await page.reload();
    await inspector.heading('Machines').waitFor();
    await page.evaluate('document.activeElement?.blur()');
    await keyboard.press('Tab');
    assert.equal(await inspector.focused(), 'Skip to content');
    await keyboard.press('Enter');
    assert(await page.evaluate('document.querySelector("main").contains(document.activeElement)'));
    await page.evaluate('document.activeElement?.blur()');
    await tab(/^Transitions$/);
    await keyboard.press('Enter');
    await inspector.heading('Transitions').waitFor();
    await page.getByRole('combobox', { name: 'Kind to find in' }).focus();
    await keyboard.press('i');
    await page.getByRole('combobox', { name: 'Kind to find in' }).selectOption('identity');
    await page.getByRole('combobox', { name: 'Find', exact: true }).focus();
    await keyboard.type(person.username);
    await page.getByRole('listbox', { name: 'Found' }).getByRole('option').first().waitFor();
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowUp');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await inspector.heading(person.username).waitFor();
    await tab(/authenticator|updb/);
    await keyboard.press('Enter');
    await page.getByRole('img', { name: /^Statechart of authenticator/ }).waitFor();
  },
};
