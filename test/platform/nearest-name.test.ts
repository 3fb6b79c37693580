// Suggestions for misspelt names.

import { t } from 'tap';
import { nearestName } from '../../src/platform/nearest-name.ts';

t.test('the nearest of the known names, if it is near', async (t) => {
  const known = ['listen', 'advertise', 'log.level', 'session.timeoutMinutes', 'snapshot.keep'];
  const cases: readonly [word: string, nearest: string | undefined][] = [
    ['lisen', 'listen'],
    ['liisten', 'listen'],
    ['lsiten', 'listen'],
    ['LISTEN', 'listen'],
    ['logLevel', 'log.level'],
    ['snapshots.kep', 'snapshot.keep'],
    ['snapshots.kept', undefined],
    ['sesion.timeoutMinuets', 'session.timeoutMinutes'],
    ['advert', undefined],
    ['', undefined],
    ['x', undefined],
  ];
  for (const [word, nearest] of cases) t.equal(nearestName(word, known), nearest, word);
  t.equal(nearestName('ab', ['ac']), undefined, 'of a short word an edit leaves too little');
  t.equal(nearestName('abcdef', ['abcdxy', 'abcdex']), 'abcdex', 'the nearer one');
  t.equal(nearestName('abcdef', []), undefined);
});
