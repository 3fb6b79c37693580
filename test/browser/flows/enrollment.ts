// An enrollment, followed from its creation.

import assert from 'node:assert/strict';
import { isTold } from '../asking.ts';
import type { Flow } from '../flow.ts';
import { takePicture } from '../pictures.ts';
import { administrator } from './log-in.ts';

/** Every step of an enrollment shows on the page as it happens. */
export const enrollmentFlow: Flow = {
  title: 'an enrollment is followed from its creation to its end',
  isLeftToNight: true,
  async walk({ stage, come }) {
    const inspector = await come();
    const { page } = inspector;
    await inspector.enter(administrator, '#/transitions');
    await page.getByRole('textbox', { name: 'Filter' }).fill('kind = "enrollment"');
    await inspector.button('Apply').click();
    // A router waits for an enrollment, too.
    await isTold(inspector, stage);
    const invitation = await stage.invite('newcomer');
    const link = page.locator(`a[href="#/machines/enrollment/${invitation.enrollmentId}"]`);
    const created = inspector.transition('Live transitions', 'create').filter({ has: link });
    const { From, To, Who } = await inspector.cells(created);
    assert.deepEqual([From, To], ['none', 'outstanding']);
    assert.match(Who ?? '', /admin/i);
    await created.locator(link).click();
    await inspector.isIn('outstanding');
    assert.equal(inspector.hash, `#/machines/enrollment/${invitation.enrollmentId}`);
    await page.getByRole('timer', { name: 'Deadline' }).waitFor();
    const record = await inspector.rows('Record').allInnerTexts();
    assert(record.length > 3, 'the record is shown');
    await takePicture(page, 'enrollment-outstanding');
    // Asked for once more, it is no longer there.
    inspector.visitor.allowRefusals(404);
    await stage.enroll(invitation);
    await inspector.isIn('removed');
    const row = inspector.transition('History', 'complete');
    const cells = await inspector.cells(row);
    assert.deepEqual([cells['From'], cells['To']], ['outstanding', 'removed']);
    await takePicture(page, 'enrollment-done');
    await inspector.open(`#/machines/identity/${invitation.identityId}`);
    await inspector.heading('newcomer').waitFor();
  },
};
