import { describe, expect, it } from '@jest/globals';
import { cleanHtml } from './clean-html.js';

const clean = (html: string) => cleanHtml(html, 'https://publisher.example/');
const PIXEL = '<img src="https://tracker.example/pixel.gif" width="1" height="1">';

describe('elements beside one that is left out', () => {
  it.each([
    [`${PIXEL}<p>one</p><p>two</p>`, '<p>one</p><p>two</p>'],
    [`<div>${PIXEL}<ul><li>one</li></ul></div>`, '<div><ul><li>one</li></ul></div>'],
    [`<img><b>one<br>two<img></b><i>three</i>`, '<b>one<br />two</b><i>three</i>'],
    [`<source><br><p>one</p>`, '<br /><p>one</p>'],
    [`<p><img src=""><source><wbr>one</p>`, '<p><wbr />one</p>'],
    [`<iframe></iframe><p>one</p>`, '<p>one</p>'],
    [
      `<svg><path d="M0 0"/></svg><img><em title="a>b">one</em>`,
      '<svg><path d="M0 0"></path></svg><em title="a&gt;b">one</em>',
    ],
  ])('end as themselves: %s', (html, expected) => {
    expect(clean(html)).toBe(expected);
  });
});
