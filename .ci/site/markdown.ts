// A Markdown document as a page of the site. Its links and anchors are those of the forge: a file
// keeps its path and gets `.html`, and headings have the anchors that GitHub gives them.

import { posix } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { anchorOf } from '../tidy/citations.ts';
import { escaped, scrolling } from './html.ts';
import type { Heading, SitePage } from './site-page.ts';

/** The HTML that stands for a diagram below a heading; undefined to show the text of it. */
export type DiagramOf = (code: string, heading: string) => string | undefined;

/** The page made from the document at the path `source` of the repository. */
export function markdownPage(source: string, text: string, diagramOf: DiagramOf): SitePage {
  const headings: Heading[] = [];
  const linked = new Set<string>();
  const anchors = new Anchors();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const plain = this.parser.parseInline(tokens, this.parser.textRenderer);
        const id = anchors.next(plain);
        headings.push({ id, text: plain, depth });
        const self = `<a class="self" href="#${id}" aria-label="Link to this heading">#</a>`;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)} ${self}</h${depth}>\n`;
      },
      code({ text: code, lang }) {
        const drawn = lang === 'mermaid' ? diagramOf(code, headings.at(-1)?.text ?? '') : undefined;
        return drawn ?? codeBlock(code, lang ?? '');
      },
      link({ href, tokens }) {
        const [path = '', anchor] = href.split('#');
        const words = this.parser.parseInline(tokens);
        if (/^[a-z][a-z+.-]*:/.test(href)) return `<a href="${escaped(href)}">${words}</a>`;
        if (path !== '') linked.add(posix.join(posix.dirname(source), decodeURI(path)));
        const address = path === '' ? '' : siteFileOf(path);
        const hash = anchor === undefined ? '' : `#${anchor}`;
        return `<a href="${escaped(address + hash)}">${words}</a>`;
      },
      image({ href, text: described }) {
        linked.add(posix.join(posix.dirname(source), decodeURI(href)));
        return `<img src="${escaped(href)}" alt="${escaped(described)}">`;
      },
      table(token: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[], tag: string) =>
          cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('');
        const rows = token.rows.map((cells) => `<tr>${row(cells, 'td')}</tr>\n`).join('');
        const head = `<thead><tr>${row(token.header, 'th')}</tr></thead>`;
        return scrolling(`<table>\n${head}\n<tbody>\n${rows}</tbody>\n</table>`);
      },
      // Pages consist of Markdown only, so that the forge and the site show the same.
      html: ({ text: html }) => (/^<!--[\s\S]*-->\s*$/.test(html) ? '' : escaped(html)),
    },
  });
  const body = marked.parse(text, { async: false });
  const [first] = headings;
  const title = titles[source] ?? (first?.depth === 1 ? first.text : source);
  const below = headings.filter(({ depth }) => depth > 1);
  return { file: siteFileOf(source), source, title, headings: below, body, linked: [...linked] };
}

/** In the contents, for documents whose heading says too little there. */
const titles: Readonly<Record<string, string>> = { 'README.md': 'Tour and commands' };

/** Where the site has a file: JSON and pictures as they are, everything else as a page. */
export function siteFileOf(path: string): string {
  return /\.(json|png)$/.test(path) ? path : `${path.replace(/\.md$/, '')}.html`;
}

/** Anchors of one document; a second heading of the same text gets `-1`, as on the forge. */
class Anchors {
  readonly #taken = new Map<string, number>();

  next(text: string): string {
    const anchor = anchorOf(text);
    const count = this.#taken.get(anchor) ?? 0;
    this.#taken.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  }
}

/** A program, or what one printed. */
export function codeBlock(code: string, language: string): string {
  const kind = language === 'text' ? 'printed' : 'program';
  return `<pre class="${kind}" tabindex="0"><code>${escaped(code)}</code></pre>\n`;
}
