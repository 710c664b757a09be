import { decodeReferences } from '../html/character-references.js';
import { readDate } from '../dates/read-date.js';
import type { StartTag } from '../html/tag-scanner.js';

/** HTML elements that publishers put around plain text values. */
const INLINE = new Set(
  'a abbr acronym address b bdi bdo big br center cite code data del dfn div em font i ins kbd mark nobr p pre q s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/** Elements whose text is an address. */
const OF_ADDRESSES = new Set([
  'link',
  'url',
  'logo',
  'icon',
  'atom:link',
  'atom:logo',
  'atom:icon',
  'feedburner:origlink',
]);

/**
 * Whether an element inside a plain value is markup around its text.
 *
 * @param name canonical name
 * @param tag of the element
 */
export function isInlineMarkup(name: string, tag: StartTag): boolean {
  const local = tag.name.slice(tag.name.indexOf(':') + 1);
  const isOfHtml = name === local || name === `xhtml:${local}` || !tag.name.includes(':');
  return isOfHtml && INLINE.has(local);
}

/**
 * The attribute that holds the value of a markup element: `<time datetime>`, or `<a href>` where an
 * address is expected.
 *
 * @param around name of the plain element around it
 * @returns null when its text is the value
 */
export function valueOfMarkup(tag: StartTag, around: string): string | null {
  const datetime = tag.attributes.get('datetime');
  if (datetime !== undefined && readDate(decodeReferences(datetime)) !== null) {
    return decodeReferences(datetime);
  }
  const href = tag.attributes.get('href');
  const isAddress = OF_ADDRESSES.has(around) || tag.selfClosing;
  return href !== undefined && isAddress ? decodeReferences(href) : null;
}
