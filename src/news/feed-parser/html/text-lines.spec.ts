import { describe, expect, it } from '@jest/globals';
import { htmlOfText } from './prose.js';

describe('plain text as HTML', () => {
  it.each([
    ['one\ntwo\r\nthree', 'one<br>\ntwo<br>\nthree'],
    ['one  \n   two', 'one<br>\ntwo'],
    ['one\n\n\n\ntwo', 'one<br>\n<br>\ntwo'],
    ['a < b & c', 'a &lt; b &amp; c'],
  ])('%j keeps its lines', (text, html) => expect(htmlOfText(text)).toBe(html));

  it.each([
    ['see https://a.org/x?y=1&z=2.', 'https://a.org/x?y=1&amp;z=2', '.'],
    ['(https://a.org/b)', 'https://a.org/b', ')'],
    ['https://a.org/Rust_(language)', 'https://a.org/Rust_(language)', ''],
    ['"https://a.org/x"', 'https://a.org/x', '&quot;'],
  ])('the address in %j becomes a link', (text, address, after) => {
    const html = htmlOfText(text).replaceAll('"', (quote) => quote);

    expect(html).toContain(`<a href="${address}">${address}</a>`);
    expect(html.endsWith(after.replace('&quot;', '"'))).toBe(true);
  });

  it.each(['http://', 'https://[', 'ftp://a.org/', 'javascript:alert(1)'])('%j does not', (text) =>
    expect(htmlOfText(text)).toBe(text),
  );
});
