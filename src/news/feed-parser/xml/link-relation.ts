import type { XmlNode } from './xml-nodes.js';

/** What a link leads to, in lower case; to the page itself when it does not say. */
export function relationOf(link: XmlNode): string {
  const relation = link.attribute('rel')?.trim().toLowerCase() ?? 'alternate';
  return relation.replace(/^http:\/\/www\.iana\.org\/assignments\/relation\//, '');
}
