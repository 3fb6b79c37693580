// Tables, roles, addresses and times: what commands make of texts, without a controller.

import { t } from 'tap';
import { readArguments } from '../../../src/commands/arguments.ts';
import { CommandFailure } from '../../../src/commands/network/command-failure.ts';
import { controllerUrl } from '../../../src/commands/network/connection/target.ts';
import { kindRows } from '../../../src/commands/network/kinds/kind-rows.ts';
import { changed, listOrder } from '../../../src/commands/network/kinds/roles.ts';
import { fitted, widthOf } from '../../../src/commands/network/output/cell-width.ts';
import { type Column, Table } from '../../../src/commands/network/output/table.ts';
import { ageText, localTime, secondText } from '../../../src/commands/network/output/times.ts';
import { destinationIn, intercepts } from '../../../src/commands/network/publish/address.ts';
import { nearestNames } from '../../../src/platform/nearest-name.ts';
import fc from '../../properties.ts';

interface Row {
  readonly name: string;
  readonly note: string;
}

const columns: readonly Column<Row>[] = [
  { title: 'NAME', isFlexible: true, text: ({ name }) => name },
  { title: 'NOTE', isFlexible: true, text: ({ note }) => note },
  { title: 'MORE', isOptional: true, text: () => 'more' },
];

const linesOf = (rows: readonly Row[], width?: number) => [
  ...new Table(columns, rows, { columns: width, withHeader: true }).lines(rows),
];

t.test('no line of a table is wider than its terminal, and none ends with a space', async (t) => {
  const row = fc.record({ name: fc.string({ unit: 'grapheme' }), note: fc.string() });
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 5 }),
      fc.integer({ min: 24, max: 200 }),
      (rows, width) => {
        for (const line of linesOf(rows, width)) {
          if (widthOf(line) > width || /[^\S\n]$/.test(line)) return false;
        }
        return linesOf(rows).length === rows.length + 1;
      },
    ),
  );
  const wide = [{ name: '語語語語語語語語語語', note: 'x' }];
  t.strictSame(linesOf(wide, 24)[1], '語語語語語語語語…   x');
  const evil = [{ name: 'a\u001b[31m\u202e', note: '\n' }];
  t.equal(linesOf(evil)[1], 'a\\u001b[31m\\u202e  \\u000a  more');
  t.equal(fitted('e\u0301e\u0301e\u0301', 2), 'e\u0301…');
});

t.test('lists are whole or a change, and never both', async (t) => {
  const word = fc.stringMatching(/^[a-z#@][a-z0-9 ]{0,8}[a-z0-9]$/);
  fc.assert(
    fc.property(fc.uniqueArray(word), fc.uniqueArray(word), (before, added) => {
      const order = listOrder('--roles', added.map((entry) => `+${entry}`).join(','));
      const after = changed(before, order);
      return [...before, ...added].every((entry) => after.includes(entry) || added.length === 0);
    }),
  );
  t.strictSame(changed(['a', 'b'], listOrder('--roles', '+c,-a')), ['b', 'c']);
  t.strictSame(changed(['a'], listOrder('--roles', '')), []);
  for (const text of ['a,', ',', '+', '+a,b', 'a,-b']) {
    t.throws(() => listOrder('--roles', text), CommandFailure, text);
  }
});

t.test('addresses of services and of controllers', async (t) => {
  t.strictSame(destinationIn('tcp://Printer.hall:9100'), {
    protocol: 'tcp',
    host: 'printer.hall',
    port: 9100,
  });
  t.match(destinationIn('[fd00::1]:443'), { host: 'fd00::1', port: 443 });
  for (const text of ['printer', 'printer:0', 'printer:70000', 'http://x:1', 'a b:1', ':1']) {
    t.equal(destinationIn(text), undefined, text);
  }
  const config = {
    protocols: ['tcp'],
    addresses: ['fd00::/16'],
    portRanges: [{ low: 1, high: 9 }],
  };
  t.ok(intercepts(config, { protocol: undefined, host: 'fd00::1', port: 9 }));
  t.notOk(intercepts(config, { protocol: 'udp', host: 'fd00::1', port: 9 }));
  t.notOk(intercepts(config, { protocol: 'tcp', host: '10.0.0.1', port: 9 }));
  t.equal(controllerUrl('ctrl.example.com'), 'https://ctrl.example.com:1280');
  t.equal(controllerUrl('https://ctrl.example.com:443'), 'https://ctrl.example.com');
  for (const text of ['http://x', 'https://x/y', 'https://a@x', '', 'x?y']) {
    t.throws(() => controllerUrl(text), CommandFailure, text);
  }
});

t.test('durations and similar names', async (t) => {
  t.equal(ageText(59_000), '59 s');
  t.equal(ageText(11 * 60_000), '11 min');
  t.equal(ageText((2 * 24 + 4) * 3_600_000), '2 d 4 h');
  t.strictSame(nearestNames('clark', ['mark', 'clerk', 'visitor'], 3), ['clerk', 'mark']);
});

t.test('no field of a kind has the flag of something else', async (t) => {
  for (const { name, verbs } of kindRows) {
    for (const verb of ['create', 'update'] as const) {
      if (!verbs.some((one) => one === verb)) continue;
      const { out } = readArguments([verb, name, '--help']) as { readonly out: string };
      const flags = out.match(/^ {2}(?:-\w, )?--[\w-]+/gm) ?? [];
      t.equal(new Set(flags).size, flags.length, `${verb} ${name}`);
    }
  }
});

t.test('a moment of today or of the next hours needs no date', async (t) => {
  const evening = new Date(2026, 10, 24, 21, 30).getTime();
  const at = (...time: [number, number, number, number?]) =>
    new Date(2026, 10, ...time).toISOString();
  t.equal(localTime(at(24, 9, 14), evening), '09:14');
  t.equal(localTime(at(24, 23, 59), evening), '23:59');
  t.equal(localTime(at(25, 0, 30), evening), '00:30', 'it is good for three hours');
  t.equal(localTime(at(25, 9, 30), evening), '2026-11-25 09:30');
  t.equal(localTime(at(23, 23, 59), evening), '2026-11-23 23:59');
  t.equal(localTime(at(24, 9, 14)), '2026-11-24 09:14');
  t.equal(secondText(at(23, 9, 14, 5), evening), '2026-11-23 09:14:05');
  t.equal(localTime('soon', evening), 'soon');
});
