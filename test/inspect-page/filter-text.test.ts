// What somebody types becomes a filter that the controller's own grammar takes.

import t from 'tap';
import { parseQuery } from '../../src/filter/parse.ts';
import {
  filterOf,
  isExpression,
  quoted,
  stateFilter,
  stateOfFilter,
} from '../../src/inspect/page/filter-text.ts';

t.test('a piece of a name, or a filter', async (t) => {
  const filters = ['id = "x"', 'name contains "a"', 'name icontains "a"', 'state in ["a"]'];
  const more = ['not isAdmin = true', 'lsn between 1 and 2', 'true', 'a < 3'];
  for (const text of [...filters, ...more]) t.equal(isExpression(text), true, text);
  for (const text of ['desk', 'printer in hall', 'it contains it', 'truely', 'a b', '']) {
    t.equal(isExpression(text), false, text);
  }
});

t.test('a piece is looked for in names and ids, a filter stays what it is', async (t) => {
  t.equal(filterOf(' desk '), 'id contains "desk" or name icontains "desk"');
  t.equal(filterOf(' id = "x"'), 'id = "x"');
  t.equal(filterOf('   '), '');
});

t.test('whatever is typed, the grammar takes it', async (t) => {
  for (const text of ['a"b', 'a\\', 'tab\there', 'line\nbreak', 'ä€', '"', '\\"']) {
    t.doesNotThrow(() => parseQuery(filterOf(text)), text);
  }
  t.equal(quoted('a"\\b'), '"a\\"\\\\b"');
});

t.test('a state and its filter', async (t) => {
  t.equal(stateFilter('full'), 'state = "full"');
  t.equal(stateOfFilter(stateFilter('certificate:none,life:none')), 'certificate:none,life:none');
  for (const filter of ['', 'state = "a" or true', 'name = "a"']) {
    t.equal(stateOfFilter(filter), '', filter);
  }
});
