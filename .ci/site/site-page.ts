// One page of the site, before it has its frame.

/** A heading that links can lead to. */
export interface Heading {
  readonly id: string;
  /** Plain text. */
  readonly text: string;
  readonly depth: number;
}

/** A page: its file and what stands in its frame. */
export interface SitePage {
  /** Path below the root of the site, with `/`. */
  readonly file: string;
  /** The file of the repository that it is made from. */
  readonly source: string;
  /** Plain text. */
  readonly title: string;
  /** Without the title of the page. */
  readonly headings: readonly Heading[];
  /** HTML. */
  readonly body: string;
  /** Files of the repository that it links to, with those that do not exist. */
  readonly linked: readonly string[];
}
