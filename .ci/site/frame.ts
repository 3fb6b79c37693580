// The frame of every page: the header, and the contents of the site with the present page marked.
// The contents stand behind the page, so that phones and screen readers begin with the page.

import { addressOf, escaped } from './html.ts';
import type { SitePage } from './site-page.ts';

/** A section of the contents with its pages. */
export interface Chapter {
  readonly title: string;
  readonly purpose: string;
  readonly pages: readonly SitePage[];
}

/** More pages than these are folded away where none of them is shown. */
const openPagesMax = 10;

/** The whole HTML of a page. */
export function framed(page: SitePage, chapters: readonly Chapter[]): string {
  const to = (file: string) => escaped(addressOf(page.file, file));
  const title = page.title === siteTitle ? siteTitle : `${page.title} · ${siteTitle}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to('site.css')}">
</head>
<body>
<header>
<a class="home" href="${to('index.html')}">${siteTitle}</a>
<a href="${to('headings.html')}">All headings</a>
<a class="to-contents" href="#site-contents">Contents</a>
</header>
<div class="frame">
<main>
${page.body}</main>
<nav id="site-contents" aria-label="Contents">
${chapters.map((chapter) => chapterOf(chapter, page)).join('')}</nav>
</div>
</body>
</html>
`;
}

/** The name on every page. */
export const siteTitle = 'Edge Control';

function chapterOf({ title, pages }: Chapter, shown: SitePage): string {
  const items = pages.map((page) => itemOf(page, shown)).join('');
  const list = `<ul>\n${items}</ul>\n`;
  if (pages.length <= openPagesMax) return `<h2>${escaped(title)}</h2>\n${list}`;
  const isOpen = pages.includes(shown) ? ' open' : '';
  return `<details${isOpen}><summary>${escaped(title)}</summary>\n${list}</details>\n`;
}

function itemOf(page: SitePage, shown: SitePage): string {
  const address = escaped(addressOf(shown.file, page.file));
  if (page !== shown) return `<li><a href="${address}">${escaped(page.title)}</a></li>\n`;
  const parts = page.headings
    .filter(({ depth }) => depth === 2)
    .map(({ id, text }) => `<li><a href="#${id}">${escaped(text)}</a></li>\n`);
  const inner = parts.length === 0 ? '' : `\n<ul>\n${parts.join('')}</ul>\n`;
  return `<li><a href="${address}" aria-current="page">${escaped(page.title)}</a>${inner}</li>\n`;
}
