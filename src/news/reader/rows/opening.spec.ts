import { expect, it } from '@jest/globals';
import { firstPicture, openingText, snippetOf } from './opening.js';

const ADDRESS = 'https://example.org/picture.png';

it.each([
  ['of unknown size', `<p>A</p><img src="${ADDRESS}">`, ADDRESS],
  ['that is large', `<img src="${ADDRESS}" width="48" height="48">`, ADDRESS],
  [
    'after one that is small',
    `<img src="https://a.org/i" width="47"><img src="${ADDRESS}">`,
    ADDRESS,
  ],
  ['that is small', `<img src="${ADDRESS}" height="47">`, null],
  ['without an address on the web', '<img src="data:image/png;base64,AAAA">', null],
  ['without an address', '<img alt="A">', null],
])('The first picture worth showing, of an article with one %s', (_which, html, shown) => {
  expect(firstPicture(html)).toBe(shown);
});

it('The opening of an article is shown whole up to 220 characters, and loses its last word beyond.', () => {
  const whole = `${'word '.repeat(43)}words`;

  expect(snippetOf(whole)).toBe(whole);
  expect(snippetOf(`${whole} more`)).toBe(`${'word '.repeat(43).trim()}…`);
});

it.each([
  [
    'the source of a formula',
    '<p>Let <math><semantics><mi>x</mi><annotation encoding="application/x-tex">\\mathit{x}</annotation></semantics></math> be.</p>',
    'Let x be.',
  ],
  ['the cut source of a formula', 'Let <math><mi>x</mi><annotation>\\mathit{', 'Let x'],
  ['headings of Markdown', '## News\n\n# 1 of the **best** days', 'News # 1 of the best days'],
  [
    'links and pictures of Markdown',
    '![A cat](/c.png) of [Ada](https://a.example/)',
    'A cat of Ada',
  ],
  ['nothing else', 'C# and f(x)[1] (2 * 3 ** 4) `', 'C# and f(x)[1] (2 * 3 ** 4) `'],
])('An opening has words without %s.', (_which, html, words) => {
  expect(openingText(html)).toBe(words);
});
