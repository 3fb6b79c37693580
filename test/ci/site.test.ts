// The site of the documents: links and anchors as on the forge, dead ones found, every operation of
// the API described with examples that work, and nothing loaded from elsewhere.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { bodyCheckOf } from '../../.ci/site/body-check.ts';
import { readExamples } from '../../.ci/site/examples.ts';
import { flowchart } from '../../.ci/site/flowchart.ts';
import { checkLinks } from '../../.ci/site/links.ts';
import { markdownPage } from '../../.ci/site/markdown.ts';
import type { OpenApi, Operation } from '../../.ci/site/openapi.ts';
import { fieldsTable, typeOf } from '../../.ci/site/schema.ts';
import { buildSite } from '../../.ci/site.ts';
import { type ApiName, apiNames } from '../../src/declare/operations/apis.ts';

const root = join(import.meta.dirname, '../..');
const pageOf = (text: string, source = 'docs/one.md') =>
  markdownPage(source, text, () => undefined);
const schemaAddress = (name: string) => `all-schemas.html#${name}`;

t.test('headings have the anchors that GitHub gives them', async (t) => {
  const { title, headings, body } = pageOf(
    '# The title\n## Who may `GET /x`, and when?\n## Over_all\n### Twice\n### Twice\n',
  );
  t.equal(title, 'The title');
  t.same(
    headings.map(({ id }) => id),
    ['who-may-get-x-and-when', 'over_all', 'twice', 'twice-1'],
  );
  t.match(body, '<h2 id="who-may-get-x-and-when">Who may <code>GET /x</code>, and when?');
});

t.test('links between documents lead to their pages', async (t) => {
  const { body, linked } = pageOf(
    '[a](two.md#part) [b](../README.md) [c](generated/api.json) [d](#here) [e](../src/x.ts) [f](https://example.org/?a=1&b)',
  );
  for (const address of [
    'two.html#part',
    '../README.html',
    'generated/api.json',
    '#here',
    '../src/x.ts.html',
    'https://example.org/?a=1&amp;b',
  ]) {
    t.match(body, `<a href="${address}">`);
  }
  t.same(linked, ['docs/two.md', 'README.md', 'docs/generated/api.json', 'src/x.ts']);
});

t.test('a picture is shown, and is part of the site', async (t) => {
  const { body, linked } = pageOf('![A "view"](pictures/view.png)', 'README.md');
  t.match(body, '<img src="pictures/view.png" alt="A &quot;view&quot;">');
  t.same(linked, ['pictures/view.png']);
});

t.test('HTML in a document is text, and a comment is left out', async (t) => {
  const { body } = pageOf('<!-- made by a program -->\n\nAn <b>id</b> of `<script>`.\n');
  t.equal(body, '<p>An &lt;b&gt;id&lt;/b&gt; of <code>&lt;script&gt;</code>.</p>\n');
});

t.test('a dead link is found, whatever is wrong with it', async (t) => {
  const site = t.testdir({
    'index.html': '<a href="sub/two.html#there">well</a> <a href="#nowhere">dead</a>',
    sub: {
      'two.html': `<h2 id="there">x</h2><h3 id="there">y</h3><a href="../index.html">well</a>
<a href="gone.html">dead</a> <a href="../data.json">dead</a> <a href="../index.html#gone">dead</a>
<a href="https://example.org/x?a=1&amp;b=2">elsewhere</a> &lt;a href=&quot;text&quot;&gt;`,
      'three.html': '<script src="https://cdn.example/x.js"></script><img src="gone.png">',
    },
  });
  const { dead, external, internalCount } = checkLinks(site);
  t.same(dead.map(({ page, address, reason }) => `${page} ${address}: ${reason}`).sort(), [
    'index.html #nowhere: index.html has no #nowhere',
    'sub/three.html gone.png: there is no sub/gone.png',
    'sub/three.html https://cdn.example/x.js: the page loads something from another host',
    'sub/two.html #there: two elements have this id',
    'sub/two.html ../data.json: there is no data.json',
    'sub/two.html ../index.html#gone: index.html has no #gone',
    'sub/two.html gone.html: there is no sub/gone.html',
  ]);
  t.same(external, ['https://cdn.example/x.js', 'https://example.org/x?a=1&b=2']);
  t.equal(internalCount, 7);
});

t.test('a flowchart has every label, and a line that is not understood is an error', async (t) => {
  const svg = flowchart(
    'flowchart TB\n  a["one<br/>two"] -- "goes" --> b\n  subgraph g["group"]\n    b --> c["<x>"]\n  end\n  c --> a\n',
  );
  for (const text of ['>one<', '>two<', '>goes<', '>b<', '>group<', '>&lt;x&gt;<']) {
    t.ok(svg.includes(text), text);
  }
  t.equal(svg.match(/class="way"/g)?.length, 3);
  t.throws(() => flowchart('flowchart TB\n  a ==> b\n'), SyntaxError);
});

t.test('a schema is a table of its fields, with bounds in words', async (t) => {
  const html = fieldsTable(
    {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', minLength: 1, maxLength: 9, description: 'Of the `x`' },
        rows: { type: 'array', items: { type: 'object', properties: { at: { enum: ['<', 2] } } } },
      },
    },
    schemaAddress,
  );
  t.match(html, '<code>name</code></td><td>string (1 to 9 characters), <b>required</b></td>');
  t.match(html, '<td>Of the <code>x</code></td>');
  t.match(html, '<code>rows[].at</code></td><td><code>&quot;&lt;&quot;</code> or <code>2</code>');
  const forms = fieldsTable(
    {
      anyOf: [
        { type: 'object', properties: { typeId: { const: 'OS' } } },
        { type: 'object', patternProperties: { '^.*$': { properties: { href: {} } } } },
      ],
    },
    schemaAddress,
  );
  t.match(forms, '<code>typeId</code></td><td><code>&quot;OS&quot;</code></td>');
  t.match(forms, '<code>*.href</code></td><td>anything</td>');
  t.equal(
    typeOf({ type: 'array', items: { $ref: '#/components/schemas/meta' } }, schemaAddress),
    'list of <a href="all-schemas.html#meta">meta</a>',
  );
  t.equal(
    typeOf({ type: 'object', patternProperties: { '^.*$': {} } }, schemaAddress),
    'object of anything',
  );
});

t.test('the site of this checkout has every operation, and no dead link', async (t) => {
  const target = join(t.testdir(), 'site');
  const { pages, dead } = buildSite(root, target);
  t.same(dead, []);
  for (const api of apiNames) {
    for (const { path, operationId } of operationsOf(api)) {
      const page = pages.find(({ file, headings }) => {
        return file.startsWith(`api/${api}/`) && headings.some(({ id }) => id === operationId);
      });
      t.match(page?.body, `${path}</code>`, `${api} ${operationId}`);
    }
  }
  for (const { file } of pages) {
    const html = readFileSync(join(target, file), 'utf8');
    if (/<script|<iframe/.test(html)) t.fail(`${file} runs something`);
  }
  t.match(readFileSync(join(target, 'index.html'), 'utf8'), 'controller of a zero-trust overlay');
  t.match(readFileSync(join(target, 'docs/generated/machines.html'), 'utf8'), '<svg class="chart"');
});

t.test('examples are bodies that the document describes', async (t) => {
  const check = bodyCheckOf(documentOf('management'));
  const create = operationOf('createService');
  t.ok(check(create, '{"name": "printer", "encryptionRequired": true}'));
  t.notOk(check(create, '{"name": null, "encryptionRequired": true}'), 'taken, but not described');
  t.notOk(check(create, ''), 'a body is required');
  const list = operationOf('listServices');
  t.ok(check(list, ''));
  t.notOk(check(list, '{}'), 'there is no body');
});

t.test('examples are requests of the contract tests, without their marks', async (t) => {
  const folder = t.testdir({
    test: {
      contract: {
        cases: {
          'a.txt': `## first
POST M:/services
{"name": "printer"}
=> 201
{"id": "@printer"}

GET M:/services/{printer}?x=1
=> 200
{"name": "printer", "gone": "(absent)", "at": "(time)", "tags": [{"a": 1}, "..."]}

GET M:/services/{printer}
=> 404 NOT_FOUND
`,
        },
      },
    },
  });
  const examplesOf = readExamples(folder);
  const [created] = examplesOf('management', 'POST', '/services');
  t.same(created, {
    request: '{\n  "name": "printer"\n}',
    status: 201,
    answer: '{\n  "id": "…"\n}',
  });
  const read = examplesOf('management', 'GET', '/services/{id}');
  t.same(
    read.map(({ answer }) => JSON.parse(answer)),
    [{ name: 'printer', at: '…', tags: [{ a: 1 }, '…'] }],
  );
  t.same(examplesOf('client', 'GET', '/services/{id}'), []);
  t.same(examplesOf('fabric', 'GET', '/services/{id}'), []);
});

function operationOf(operationId: string): Operation {
  const found = operationsOf('management').find((one) => one.operationId === operationId);
  if (found === undefined) throw new RangeError(`there is no ${operationId}`);
  return found.operation;
}

function documentOf(api: ApiName): OpenApi {
  const path = join(root, `docs/generated/openapi-${api}.json`);
  return JSON.parse(readFileSync(path, 'utf8')) as OpenApi;
}

function operationsOf(api: ApiName) {
  return Object.entries(documentOf(api).paths).flatMap(([path, operations]) =>
    Object.values(operations).map((operation) => ({
      path,
      operationId: operation.operationId,
      operation,
    })),
  );
}
