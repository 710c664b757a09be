import { describe, expect, it } from '@jest/globals';
import { parseHTML } from 'linkedom';
import { PAYLOADS, SURROUNDINGS, WRITINGS } from '../../../../test/support/hostile-markup.js';
import { cleanHtml } from './clean-html.js';
import { DRAWING_ELEMENTS } from './drawings.js';

const ALLOWED_ADDRESS =
  /^(?:https?:|mailto:|ftp:|news:|nntp:|tel:|magnet:|xmpp:|gemini:|#user-content-|data:image\/)/i;

/** Attributes in which a browser reads `url()`. */
const PAINTS = /^(?:fill|stroke|filter|mask|cursor|marker.*|clip-path)$/;

/** The first part of a sanitised body that a browser could execute; null if none. */
function dangerIn(html: string): string | null {
  const { document } = parseHTML(`<html><body>${html}</body></html>`);
  for (const element of document.querySelectorAll('body *')) {
    const name = element.localName;
    if (
      /^(?:script|style|animate.*|set|use|image|foreignobject|desc|object|embed|form|input|base|link|meta|template|title|annotation.*|mglyph|malignmark)$/.test(
        name,
      )
    ) {
      return name;
    }
    for (const { name: attribute, value } of element.attributes) {
      if (/^(?:on|style$|srcdoc$|xlink|data-|formaction$)/i.test(attribute)) {
        return `${name} ${attribute}`;
      }
      if (/^(?:href|src|poster|cite)$/.test(attribute) && !ALLOWED_ADDRESS.test(value)) {
        return `${name} ${attribute}=${value}`;
      }
      if (/url\((?!#user-content-)/i.test(value) && PAINTS.test(attribute)) {
        return `${name} ${attribute}=${value}`;
      }
      if (name === 'track' && attribute === 'src' && !/^https?:/.test(value)) {
        return `${name} ${attribute}=${value}`;
      }
      const mayHaveClass = name === 'code' || name === 'pre';
      if (attribute === 'class' && !(mayHaveClass && /^language-[\w+-]{1,30}$/.test(value))) {
        return `${name} ${attribute}=${value}`;
      }
      if (attribute === 'id' && !value.startsWith('user-content-')) {
        return `${name} ${attribute}=${value}`;
      }
      if (/^data:image\/svg/i.test(value) && !(name === 'img' && attribute === 'src')) {
        return `${name} ${attribute} holds a drawing`;
      }
    }
  }
  return null;
}

/** Elements of a drawing that are not one of its own. */
function foreignIn(html: string): string | null {
  const { document } = parseHTML(`<html><body>${html}</body></html>`);
  // The parser here keeps names as they are written, browsers correct their case.
  const foreign = [...document.querySelectorAll('svg *')].find(
    ({ localName }) => !DRAWING_ELEMENTS.includes(localName),
  );
  return foreign === undefined ? null : `${foreign.localName} in a drawing`;
}

describe('sanitised bodies execute nothing', () => {
  it.each(SURROUNDINGS)('inside %s', (surrounding) => {
    const dangers: string[] = [];

    for (const payload of PAYLOADS) {
      for (const write of WRITINGS) {
        const html = surrounding.replace('*', () => write(payload));
        const clean = cleanHtml(html, 'https://example.org/post/');
        const danger =
          dangerIn(clean) ??
          foreignIn(clean) ??
          dangerIn(cleanHtml(clean, 'https://example.org/post/'));
        if (danger !== null) {
          dangers.push(`${html} → ${clean}: ${danger}`);
        }
      }
    }

    expect(dangers.slice(0, 3)).toEqual([]);
  });

  it('and the detector finds executable markup', () => {
    expect(PAYLOADS.filter((payload) => dangerIn(payload) !== null).length).toBeGreaterThan(15);
  });
});
