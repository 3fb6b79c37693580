// Which subjects of commits are refused, and why.

import t from 'tap';
import { subjectFault } from '../../.ci/subjects.ts';

t.test('a verb in the imperative begins a subject', async (t) => {
  for (const subject of [
    'Add a row',
    'Address both',
    'Embed it',
    'Re-read the file',
    'Pass it on',
  ]) {
    t.equal(subjectFault(subject), undefined, subject);
  }
  for (const first of ['Added', 'Adding', 'Adds', 'The', 'Nodes', 'add', 'README:', '']) {
    t.equal(subjectFault(`${first} row`), 'does not begin with a verb in the imperative', first);
  }
});

t.test('a subject is short, and no sentence', async (t) => {
  t.equal(subjectFault(`Add ${'x'.repeat(68)}`), undefined);
  t.equal(subjectFault(`Add ${'x'.repeat(69)}`), 'has 73 characters');
  t.equal(subjectFault('Add a row.'), 'ends with a full stop');
});
