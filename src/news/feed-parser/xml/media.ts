import type { MediaOffer } from '../items/enclosure.js';
import { webAddress } from '../web-address.js';
import { relationOf, type XmlNode } from './xml-nodes.js';

/** All media of an item, in order of preference. */
export function offersOfItem(item: XmlNode, documentUrl: string): MediaOffer[] {
  const offer = (element: XmlNode, written: string | null): MediaOffer => ({
    url: webAddress(written, element.attribute('base') ?? documentUrl),
    type: element.attribute('type'),
    medium: element.attribute('medium'),
  });
  const enclosures = item.all('enclosure', 'enc:enclosure').map((enclosure) => {
    const written = ['url', 'resource', 'href'].map((name) => enclosure.attribute(name));
    return offer(enclosure, written.find((address) => address !== null) ?? enclosure.text);
  });
  const links = item
    .all('link', 'atom:link')
    .filter((link) => relationOf(link) === 'enclosure')
    .map((link) => offer(link, link.attribute('href') ?? link.text));
  const contents = item
    .all('content', 'atom:content')
    .filter((content) => content.attribute('src') !== null)
    .map((content) => offer(content, content.attribute('src')));
  const isDefault = (content: XmlNode): boolean =>
    content.attribute('isdefault')?.trim().toLowerCase() === 'true';
  const media = mediaElements(item, 'media:content');
  const inOrder = [
    ...media.filter(isDefault),
    ...media.filter((content) => !isDefault(content)),
  ].map((content) => offer(content, content.attribute('url')));
  return [...enclosures, ...links, ...contents, ...inOrder];
}

/** Media RSS elements of an item, its groups and their contents. */
export function mediaElements(item: XmlNode, name: string): XmlNode[] {
  const groups = item.all('media:group');
  const contents = [item, ...groups].flatMap((holder) => holder.all('media:content'));
  return [item, ...groups, ...contents].flatMap((holder) => holder.all(name));
}
