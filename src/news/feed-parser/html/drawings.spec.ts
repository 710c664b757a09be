import { describe, expect, it } from '@jest/globals';
import { cleanHtml } from './clean-html.js';

const clean = (html: string): string => cleanHtml(html, 'https://example.org/post/');
const box = 'viewBox="0 0 200 100"';
const PATH = '<path d="M0 0L9 9"></path>';

describe('drawings', () => {
  it('keep shapes, text, gradients and what they refer to inside of the drawing', () => {
    expect(
      clean(
        `<svg ${box} width="200" xmlns="http://www.w3.org/2000/svg"><defs><linearGradient id="g" gradientUnits="userSpaceOnUse" x1="0"><stop offset="10%" stop-color="#f00"/></linearGradient><clipPath id="c"><rect width="9" height="9"/></clipPath></defs>` +
          '<g transform="translate(1, 2) rotate(45)" clip-path="url(#c)"><circle cx="5" cy="5" r="4" fill="url(#g)"/></g>' +
          '<text x="1" text-anchor="middle" font-family="\'DejaVu Sans\', serif">a &lt; b <tspan dy="1.2em">c</tspan></text></svg>',
      ),
    ).toBe(
      '<svg width="200" viewbox="0 0 200 100"><defs><linearGradient x1="0" gradientunits="userSpaceOnUse" id="user-content-g"><stop offset="10%" stop-color="#f00"></stop></linearGradient><clipPath id="user-content-c"><rect width="9" height="9"></rect></clipPath></defs>' +
        '<g transform="translate(1, 2) rotate(45)" clip-path="url(#user-content-c)"><circle cx="5" cy="5" r="4" fill="url(#user-content-g)"></circle></g>' +
        '<text x="1" font-family="DejaVu Sans, serif" text-anchor="middle">a &lt; b <tspan dy="1.2em">c</tspan></text></svg>',
    );
  });

  it('keep what a style attribute says of colours and lines', () => {
    expect(
      clean(
        `<svg ${box}><path d="M0 0" style="fill: none; stroke:#1f77b4;position:fixed;stroke-width: 1.5 !important"/></svg>`,
      ),
    ).toBe(
      '<svg viewbox="0 0 200 100"><path d="M0 0" fill="none" stroke="#1f77b4" stroke-width="1.5"></path></svg>',
    );
  });

  it.each([
    ['script', `<script>alert(1)</script>${PATH}`],
    ['a style sheet', `<style>p{color:red}</style>${PATH}`],
    ['HTML', `<foreignObject><div>x</div></foreignObject>${PATH}`],
    ['titles', `<title>x</title><desc>x</desc>${PATH}`],
    ['animations', `${PATH}<animate attributeName="d" to="x"/><set attributeName="href" to="x"/>`],
    ['pictures', `<image href="https://a.org/x.png"/>${PATH}`],
    ['copies', `<use href="#x"/><use xlink:href="https://a.org/x.svg#y"/>${PATH}`],
    ['links', `<a href="https://a.org/">${PATH}</a>`],
    ['text outside of text elements', `words${PATH}`],
    ['handlers', '<path d="M0 0L9 9" onclick="x"/>'],
    ['addresses in paint', '<path d="M0 0L9 9" fill="url(https://a.org/#x)"/>'],
    [
      'classes and styles',
      '<path class="x" d="M0 0L9 9" style="behavior:url(x)" filter="url(#x)"/>',
    ],
  ])('lose %s', (_what, inside) => {
    expect(clean(`a<svg ${box}>${inside}</svg>b`)).toBe(
      `a<svg viewbox="0 0 200 100">${PATH}</svg>b`,
    );
  });

  it.each([
    ['without a shape', `<svg ${box}><g></g></svg>`],
    ['that are pictograms', `<svg viewBox="0 0 24 24">${PATH}</svg>`],
    ['of the size of a letter', `<svg ${box} width="1em" height="1em">${PATH}</svg>`],
    ['that are decoration', `<svg ${box} aria-hidden="true">${PATH}</svg>`],
  ])('%s are left out', (_what, html) => expect(clean(`a${html}b`)).toBe('ab'));

  it('without an end lose none of the text that follows', () => {
    expect(clean(`a<svg ${box}><p>b</p>`)).toBe('a<p>b</p>');
    expect(clean(`a<svg ${box}><path d="M0 0L9 9"/><p>b</p></svg>c`)).toBe(
      `a<svg viewbox="0 0 200 100">${PATH}</svg><p>b</p>c`,
    );
    expect(clean('a<svg><foreignObject><p>b</p>')).toBe('a<p>b</p>');
  });

  it('are unchanged by a second pass', () => {
    const once = clean(
      `<svg ${box}><path id="p" fill="url(#p)" d="M0 0"/><text>&amp;lt;</text></svg>`,
    );

    expect(once).toContain('url(#user-content-p)');
    expect(clean(once)).toBe(once);
  });

  it.each([
    ['nested without end', '<svg>'.repeat(100_000)],
    ['with an end far away', `${'<svg><foreignObject>'.repeat(40_000)}</svg>`],
    ['one after the other', '<svg><path d="M0 0"/></svg>'.repeat(30_000)],
    ['with many groups', `<svg>${'<g>'.repeat(200_000)}</svg>`],
    ['with many unclosed elements', `<svg>${'<use>'.repeat(50_000)}</svg>`],
  ])('%s are read in little processor time', (_what, html) => {
    const before = process.cpuUsage();
    clean(html);
    const { user } = process.cpuUsage(before);

    expect(user / 1_000).toBeLessThan(5_000);
  });
});
