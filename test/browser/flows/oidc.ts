// Logging in on the pages of the OIDC provider.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { findFaults } from '../accessibility.ts';
import type { Flow } from '../flow.ts';
import { takePicture } from '../pictures.ts';
import type { Appearance } from '../visitor.ts';

const verifier = 'verifier-of-a-browser-0123456789-abcdefghijkl';

/** The beginning of a login whose end is a page of the controller itself. */
function beginningAt(origin: string): string {
  const query = new URLSearchParams({
    client_id: 'openziti',
    response_type: 'code',
    redirect_uri: `${origin}/auth/callback`,
    scope: 'openid',
    state: 'state-of-the-browser',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return `${origin}/oidc/authorize?${query}`;
}

/** What a browser of these looks must be able to do. */
const looks: Readonly<Record<string, Appearance>> = {
  'with scripts': {},
  'without scripts, on a small and dark screen': {
    scripts: false,
    theme: 'dark',
    size: 'smallest',
  },
};

async function isReadable(page: Page, picture: string): Promise<void> {
  const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.equal(width, 0, 'nothing is cut off at the side');
  await takePicture(page, picture);
}

/** User name, password and code lead back to the client. */
export const oidcFlows: readonly Flow[] = Object.entries(looks).map(([title, appearance]) => ({
  title: `a login by OIDC, ${title}`,
  async walk({ stage, come }) {
    const { page, visitor } = await come(appearance);
    const person = await stage.person({ mfa: true });
    await page.goto(beginningAt(visitor.origin));
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await isReadable(page, `oidc-password-${appearance.theme ?? 'light'}`);
    if (appearance.scripts !== false) {
      const { failing } = await findFaults(page);
      assert.deepEqual(failing, []);
    }
    visitor.expectRefusals(401);
    // The keyboard is enough: the first field has the focus.
    await page.keyboard.type(person.username);
    await page.keyboard.press('Tab');
    await page.keyboard.type('a wrong password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('User name').fill(person.username);
    await page.getByLabel('Password').fill(person.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Enter a code' }).waitFor();
    await isReadable(page, `oidc-code-${appearance.theme ?? 'light'}`);
    // Nothing is served there, and programs read the address alone.
    visitor.allowRefusals(404);
    await page.getByLabel('Code').fill(person.code(1));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(/\/auth\/callback\?code=[\w-]{43}&state=state-of-the-browser$/);
  },
}));
