// Log-in, refused log-ins, and log-out.

import assert from 'node:assert/strict';
import { management } from '../../system/client.ts';
import { adminPassword } from '../../system/process.ts';
import type { Flow } from '../flow.ts';

/** The administrator of the first start. */
export const administrator = { username: 'admin', password: adminPassword } as const;

const password: Flow = {
  title: 'an administrator logs in by password, is told of a wrong one, and logs out',
  async walk({ come }) {
    const inspector = await come();
    const { page, visitor } = inspector;
    await inspector.open('#/processes');
    visitor.expectRefusals(401);
    await inspector.giveCredentials({ ...administrator, password: 'not-the-password' });
    const told = await page.getByRole('alert').innerText();
    assert.match(told, /\w+ \w+/, 'a sentence says what is wrong');
    await inspector.giveCredentials(administrator);
    // The address that was asked for is shown after the log-in.
    await inspector.heading('Processes').waitFor();
    await inspector.isLive();
    await visitor.searchPage('logged in');
    await inspector.button('Log out').click();
    await inspector.heading('Log in').waitFor();
    await page.reload();
    await inspector.heading('Log in').waitFor();
  },
};

const secondFactor: Flow = {
  title: 'an administrator with MFA gives a wrong code, then the right one',
  async walk({ stage, come }) {
    const { username, password, code } = await stage.person({ isAdmin: true, mfa: true });
    const inspector = await come();
    const { page, visitor } = inspector;
    await inspector.open();
    await inspector.giveCredentials({ username, password });
    const right = code();
    visitor.expectRefusals(401);
    await inspector.giveCode(right === '000000' ? '000001' : '000000');
    await page.getByRole('alert').waitFor();
    await inspector.giveCode(code());
    await inspector.heading('Machines').waitFor();
    await inspector.isLive();
  },
};

const stranger: Flow = {
  title: 'somebody who is no administrator sees nothing',
  async walk({ stage, come }) {
    const person = await stage.person({});
    const inspector = await come();
    const { page } = inspector;
    await inspector.open();
    await inspector.giveCredentials(person);
    await page.getByRole('alert').waitFor();
    assert.equal(await page.getByRole('table').count(), 0);
    assert.equal(await page.getByRole('article').count(), 0);
  },
};

const ended: Flow = {
  title: 'a session that is ended elsewhere is told, and a new log-in goes on',
  async walk({ stage, come }) {
    const person = await stage.person({ isAdmin: true });
    const inspector = await come();
    const { page, visitor } = inspector;
    await inspector.enter(person, '#/processes');
    // Whether a request or the stream hears of it first is not settled.
    visitor.allowRefusals(401);
    for (const { id, identityId } of await stage.admin.all('api-sessions')) {
      if (identityId !== person.id) continue;
      await stage.admin.ask('DELETE', `${management}/api-sessions/${id}`);
    }
    await page.getByRole('status').filter({ hasText: 'session has ended' }).waitFor();
    await inspector.giveCredentials(person);
    await inspector.heading('Processes').waitFor();
    await inspector.isLive();
  },
};

/** The door. */
export const logInFlows: readonly Flow[] = [password, secondFactor, stranger, ended];
