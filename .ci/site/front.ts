// The two pages that are made from all others: the front page and the list of all headings.

import { type Chapter, siteTitle } from './frame.ts';
import { escaped } from './html.ts';
import type { SitePage } from './site-page.ts';

/** The front page: what this is, where to begin, and what there is. */
export function frontPage(chapters: readonly Chapter[]): SitePage {
  const parts = chapters.map(({ title, purpose, pages: [first] }) => {
    const name = escaped(title);
    const linked = first === undefined ? name : `<a href="${escaped(first.file)}">${name}</a>`;
    return `<dt>${linked}</dt>\n<dd>${escaped(purpose)}</dd>\n`;
  });
  const body = `<h1>${siteTitle}</h1>
<p>Edge Control is the controller of a zero-trust overlay network: it keeps identities, services,
routers and policies, and decides who may reach which service through which routers. It serves the
edge client API, the edge management API and the fabric API of OpenZiti from one Linux process that
needs no database. Begin with the <a href="README.html#a-five-minute-tour">tour of five minutes</a>, and read
<a href="docs/operations.html">operations</a> before you run it for others.</p>
<dl>
${parts.join('')}</dl>
`;
  return madePage('index.html', siteTitle, body);
}

/** A list of all pages with all their headings, which the search of a browser can look through. */
export function headingsPage(chapters: readonly Chapter[]): SitePage {
  const parts = chapters.map(({ title, pages }) => {
    const items = pages.map((page) => `<li>${headingsOf(page)}</li>\n`);
    return `<h2>${escaped(title)}</h2>\n<ul>\n${items.join('')}</ul>\n`;
  });
  const body = `<h1>All headings</h1>
<p>Your browser can search this page (Ctrl+F) for a subject or for an operation of the API.</p>
${parts.join('')}`;
  return madePage('headings.html', 'All headings', body);
}

function headingsOf({ file, title, headings }: SitePage): string {
  const page = `<a href="${escaped(file)}">${escaped(title)}</a>`;
  const items = headings
    .filter(({ depth }) => depth <= 3)
    .map(({ id, text }) => `<li><a href="${escaped(file)}#${id}">${escaped(text)}</a></li>`);
  return items.length === 0 ? page : `${page}\n<ul class="headings">\n${items.join('\n')}\n</ul>`;
}

function madePage(file: string, title: string, body: string): SitePage {
  return { file, source: '.ci/site/front.ts', title, headings: [], body, linked: [] };
}
