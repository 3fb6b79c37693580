// The processes of the controller, and the orders that an administrator gives them.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { management } from '../../system/client.ts';
import type { Flow } from '../flow.ts';
import { administrator } from './log-in.ts';

const snapshot: Flow = {
  title: 'the processes are shown, and a snapshot that is asked for is seen to run',
  isLeftToNight: true,
  async walk({ stage, come }) {
    const { home } = stage.serving;
    const files = () => readdirSync(join(home, 'snapshots')).length;
    const before = files();
    const inspector = await come();
    const { page } = inspector;
    await inspector.enter(administrator, '#/processes');
    const rows = inspector.rows('Processes');
    for (const name of ['controller', 'log writer', 'snapshotter', 'integrity run']) {
      await rows.filter({ hasText: name }).first().waitFor();
    }
    await rows
      .filter({ hasText: /listener/ })
      .first()
      .waitFor();
    const writer = rows.filter({ hasText: 'snapshotter' });
    const { Detail = '' } = await inspector.cells(writer);
    const status = page.getByRole('status').filter({ hasText: /^Snapshot: / });
    const said = await inspector.listenTo(status);
    await inspector.button('Take a snapshot').click();
    await status.filter({ hasText: /^Snapshot: written and verified/ }).waitFor();
    assert(
      (await said()).some((text) => text.startsWith('Snapshot: being written')),
      'seen to run',
    );
    assert(files() > before, 'there is one more');
    // The stream tells of the processes once a second.
    await writer.filter({ hasText: /the newest holds/, hasNotText: Detail || 'nothing' }).waitFor();
  },
};

const integrity: Flow = {
  title: 'a check of the data integrity is asked for and ends',
  isLeftToNight: true,
  async walk({ come }) {
    const inspector = await come();
    await inspector.enter(administrator, '#/processes');
    await inspector.button('Check data integrity').click();
    const status = inspector.page.getByRole('status').filter({ hasText: /^Integrity: / });
    await status.filter({ hasText: /no fault|sound|clean|done/i }).waitFor();
  },
};

const logLevel: Flow = {
  title: 'the log level is changed while the controller runs',
  isLeftToNight: true,
  async walk({ stage, come }) {
    const inspector = await come();
    const level = inspector.page.getByRole('combobox', { name: 'Log level' });
    await inspector.enter(administrator, '#/processes');
    assert.equal(await level.inputValue(), 'info');
    await level.selectOption('debug');
    await stage.serving.process.says('stderr', '"level":"debug"');
    const told = await stage.admin.ask('GET', `${management}/inspect/log-level`);
    assert.equal(told['level'], 'debug');
    await level.selectOption('info');
  },
};

/** Maintenance. */
export const processFlows: readonly Flow[] = [snapshot, integrity, logLevel];
