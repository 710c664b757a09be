import { expect, it } from 'vitest';
import { articleMarkdown } from './article-markdown.js';

it('An article is written as Markdown with its title, where it is from, and its paragraphs.', () => {
  const written = articleMarkdown({
    title: 'A *star*',
    url: 'https://example.org/a b',
    from: ['Paper', 'Ada', '2026-01-02'],
    paragraphs: ['One  line.', '', '# no heading'],
  });

  expect(written).toBe(
    '# [A \\*star\\*](<https://example.org/a%20b>)\n\nPaper · Ada · 2026-01-02\n\nOne line.\n\n\\# no heading\n',
  );
});
