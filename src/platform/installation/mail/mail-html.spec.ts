import { describe, expect, it } from '@jest/globals';
import { mailHtml } from './mail-server.service.js';

describe('the HTML of a mail', () => {
  it('has the paragraphs and lines of the text', () => {
    expect(mailHtml('Hello\nAda\n\nBye\n')).toContain(
      '<p dir="auto">Hello<br>Ada</p>\n<p dir="auto">Bye</p>',
    );
  });

  it('links lines that are addresses, and only these', () => {
    const html = mailHtml('https://example.org/#a&b\n\nsee https://example.org/');

    expect(html).toContain(
      '<a href="https://example.org/#a&amp;b">https://example.org/#a&amp;b</a>',
    );
    expect(html).toContain('<p dir="auto">see https://example.org/</p>');
  });

  it('escapes markup', () => {
    const html = mailHtml('<script>alert(1)</script>\nhttps://example.org/"><b>');

    expect(html).not.toContain('<script>');
    expect(html).not.toContain('<b>');
  });
});
