import { describe, expect, it } from '@jest/globals';
import { textPieces } from './translate-texts.js';

describe('the texts of HTML', () => {
  it('are the visible ones, each on one line', () => {
    const { texts } = textPieces(
      '<p>One\n  <b>two </b>&amp; three</p> <p>42</p><img alt="four"><pre>five</pre><p><code>six</code></p>',
    );

    expect(texts).toEqual(['One', 'two', '& three']);
  });

  it('are replaced in place; surrounding spaces and markup stay', () => {
    const html = '<p>One <a href="https://a.example/?x=1&amp;y=2">two</a>, <em>three</em>.</p><hr>';
    const { texts, replacedWith } = textPieces(html);

    expect(replacedWith(texts)).toBe(html);
    expect(replacedWith(['EINS', 'ZWEI', 'DREI'])).toBe(
      '<p>EINS <a href="https://a.example/?x=1&amp;y=2">ZWEI</a>, <em>DREI</em>.</p><hr>',
    );
  });

  it('are replaced by text only: markup in it is escaped', () => {
    const { replacedWith } = textPieces('<p>one</p>');

    expect(replacedWith(['<img src=x onerror=steal()>&amp;'])).toBe(
      '<p>&lt;img src=x onerror=steal()&gt;&amp;amp;</p>',
    );
  });

  it('keep letters of all scripts', () => {
    const { texts, replacedWith } = textPieces('<p>Grüße</p><p>你好</p>');

    expect(texts).toEqual(['Grüße', '你好']);
    expect(replacedWith(['Привет', 'שלום'])).toBe('<p>Привет</p><p>שלום</p>');
  });
});
