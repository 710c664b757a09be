interface MarkdownParts {
  readonly title: string;
  readonly url: string;
  /** Where it is from: feed, author, date. */
  readonly from: readonly string[];
  readonly paragraphs: readonly string[];
}

/** Text that Markdown shows as it is, in one line. */
const escaped = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>#|~]/g, String.raw`\$&`)
    .replace(/^([-+=]|\d+[.)])/, String.raw`\$1`);

/** An article as a Markdown document of plain paragraphs. */
export function articleMarkdown({ title, url, from, paragraphs }: MarkdownParts): string {
  const link = `# [${escaped(title || url)}](<${url.replace(/[<>\s\\]/g, encodeURIComponent)}>)`;
  const source = from.filter(Boolean).map(escaped).join(' · ');
  return `${[link, source, ...paragraphs.map(escaped)].filter(Boolean).join('\n\n')}\n`;
}

const BLOCKS = 'p, h1, h2, h3, h4, h5, h6, li, pre, figcaption, td, th, dt, dd';

/** The paragraphs of an article's HTML, in inert form. Those that hold others are left to them. */
export function paragraphsOf(html: string): string[] {
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  const blocks = [...body.querySelectorAll(BLOCKS)].filter((one) => !one.querySelector(BLOCKS));
  const texts = blocks.map((one) => one.textContent ?? '').filter((text) => text.trim() !== '');
  return texts.length > 0 ? texts : [body.textContent ?? ''];
}
