// Versions and ranges of them, as OS posture checks use them.

import t from 'tap';
import { parseVersion, parseVersionRange, type Version } from '../../src/posture/version-range.ts';

const version = (text: string): Version => {
  const parsed = parseVersion(text);
  if (parsed === undefined) throw new Error(`${text} is no version`);
  return parsed;
};

/** A range, versions in it, versions outside. */
const ranges: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['1.2.3', ['1.2.3', '1.2.3+build.7'], ['1.2.4', '1.2.2', '1.2.3-rc.1']],
  ['=1.2.3', ['1.2.3'], ['1.2.4']],
  ['==1.2.3', ['1.2.3'], ['1.2.4']],
  ['>=10.0.17763', ['10.0.17763', '10.0.19041', '11.0.0'], ['10.0.17762', '6.3.9600']],
  ['>1.2.3', ['1.2.4', '2.0.0'], ['1.2.3', '1.0.0']],
  ['<1.2.3', ['1.2.2', '1.2.3-rc.1'], ['1.2.3', '2.0.0']],
  ['<=1.2.3', ['1.2.3', '0.9.0'], ['1.2.4']],
  ['!1.2.3', ['1.2.2', '1.2.4'], ['1.2.3']],
  ['!=1.2.3', ['1.2.2', '1.2.4'], ['1.2.3']],
  ['1.2.x', ['1.2.0', '1.2.99'], ['1.3.0', '1.1.9']],
  ['1.2', ['1.2.0', '1.2.99'], ['1.3.0', '1.1.9']],
  ['1', ['1.0.0', '1.99.99'], ['2.0.0', '0.9.9']],
  ['1.x', ['1.5.0'], ['2.0.0']],
  ['1.*.*', ['1.5.0'], ['2.0.0']],
  ['x', ['0.0.0', '99.0.0'], []],
  ['>x', [], ['0.0.0', '99.0.0']],
  ['!x', [], ['0.0.0', '99.0.0']],
  ['>1.2.x', ['1.3.0'], ['1.2.99', '1.2.0']],
  ['>=1.2.x', ['1.2.0', '2.0.0'], ['1.1.9']],
  ['<1.2.x', ['1.1.9'], ['1.2.0', '1.2.9']],
  ['<=1.2.x', ['1.2.99', '1.0.0'], ['1.3.0']],
  ['!1.2.x', ['1.3.0', '1.1.0'], ['1.2.5']],
  ['>1', ['1.0.1', '2.0.0'], ['1.0.0', '0.9.0']],
  ['<2', ['1.99.0'], ['2.0.0', '2.0.1']],
  ['<=2.1', ['2.1.0'], ['2.1.1']],
  ['>1 <2 || 3.1.0', ['1.5.0', '3.1.0'], ['1.0.0', '2.0.0', '3.1.1']],
  ['>= 1.2.0   < 2.0.0', ['1.2.0', '1.9.9'], ['2.0.0', '1.1.9']],
  [' 1.0.0 ', ['1.0.0'], ['1.0.1']],
  ['1.0.0||2.0.0', ['1.0.0', '2.0.0'], ['1.5.0']],
  ['>=1.0.0-beta.2', ['1.0.0-beta.11', '1.0.0-rc', '1.0.0'], ['1.0.0-beta.1', '1.0.0-alpha']],
];

for (const [text, inside, outside] of ranges) {
  t.test(`range ${text}`, async (t) => {
    const range = parseVersionRange(text);
    if (range === undefined) {
      t.fail('is a range');
      return;
    }
    for (const one of inside) t.ok(range(version(one)), `${one} lies in it`);
    for (const one of outside) t.notOk(range(version(one)), `${one} does not`);
  });
}

t.test('what is no range', async (t) => {
  const texts = [
    '',
    ' ',
    '||',
    '1.0.0 ||',
    'new',
    '1.0.0.0',
    '01.0.0',
    '1.x.2',
    '>',
    '> ',
    '~1.0.0',
  ];
  const more = ['^1.0.0', '1.0.0 - 2.0.0', '1.0.0,2.0.0', '1.x-rc', '1.-1.0', '>>1.0.0', '=>1.0.0'];
  for (const text of [...texts, ...more]) t.equal(parseVersionRange(text), undefined, text);
});

t.test('what is a version and what is not', async (t) => {
  t.same(parseVersion('10.0.17763'), { numbers: [10, 0, 17763], prerelease: [] });
  t.same(parseVersion('1.0.0-rc.1+x'), { numbers: [1, 0, 0], prerelease: ['rc', '1'] });
  for (const text of [
    '',
    '10',
    '10.0',
    '1.2.x',
    'v1.0.0',
    '1.0.0.0',
    '1.02.0',
    '1.0.0-',
    ' 1.0.0',
  ]) {
    t.equal(parseVersion(text), undefined, text);
  }
});

t.test('versions in the order that semver.org gives', async (t) => {
  const ordered = [
    '0.9.9',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '1.10.0',
    '2.0.0',
  ];
  for (const [i, a] of ordered.entries()) {
    for (const [j, b] of ordered.entries()) {
      t.equal(parseVersionRange(`<${b}`)?.(version(a)), i < j, `${a} < ${b}`);
      t.equal(parseVersionRange(`>${b}`)?.(version(a)), i > j, `${a} > ${b}`);
    }
  }
});
