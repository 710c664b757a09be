import type { MediaOffer } from '../items/enclosure.js';
import { extrasOf, playerOf, type ArticleExtras } from '../items/extras.js';
import { notOfOrigin, webAddress } from '../web-address.js';
import { relationOf, type XmlNode } from './xml-nodes.js';

/** All media of an item, in order of preference. */
export function offersOfItem(item: XmlNode, documentUrl: string): MediaOffer[] {
  const enclosures = item.all('enclosure', 'enc:enclosure').map((enclosure) => {
    const written = ['url', 'resource', 'href'].map((name) => enclosure.attribute(name));
    const address = written.find((value) => value !== null) ?? enclosure.text;
    return { ...offerOf(enclosure, address, documentUrl), isEnclosure: true };
  });
  const links = item
    .all('link', 'atom:link')
    .filter((link) => relationOf(link) === 'enclosure')
    .map((link) => offerOf(link, link.attribute('href') ?? link.text, documentUrl));
  const contents = item
    .all('content', 'atom:content')
    .filter((content) => content.attribute('src') !== null)
    .map((content) => offerOf(content, content.attribute('src'), documentUrl));
  // Other versions of the episode, each with its addresses, some of them not of the web.
  const alternatives = item.all('podcast:alternateenclosure').flatMap((alternative) =>
    alternative
      .all('podcast:source')
      .map((source) => offerOf(alternative, source.attribute('uri'), documentUrl))
      .filter(({ url }) => url !== null)
      .slice(0, 1),
  );
  return [
    ...enclosures,
    ...links,
    ...contents,
    ...defaultFirst(mediaElements(item, 'media:content')).map((content) =>
      offerOf(content, content.attribute('url'), documentUrl),
    ),
    ...alternatives,
  ];
}

/** Limit of examined categories of an item. */
const MOST_CATEGORIES = 50;

/** Extras of an item besides its text and its main enclosure. @param own see `offersOfItem` */
export function extrasOfItem(
  item: XmlNode,
  own: readonly MediaOffer[],
  documentUrl: string,
  ownOrigin: string | null,
): ArticleExtras | null {
  // A group has the same recording in several sizes.
  const variants = item
    .all('media:group')
    .flatMap((group) => defaultFirst(group.all('media:content')).slice(1));
  const left = new Set(
    variants.map((content) => webAddress(content.attribute('url'), baseOf(content, documentUrl))),
  );
  const players = mediaElements(item, 'media:player')
    .map((player) => offerOf(player, player.attribute('url'), documentUrl))
    .filter(({ url }) => url !== null && playerOf(url) !== null);
  const offers = [...own, ...players].filter(
    ({ url }) => !left.has(url) && notOfOrigin(url, ownOrigin) !== null,
  );
  const firstAddress = (nodes: readonly XmlNode[], attribute?: string): string | null =>
    nodes
      .map((node) => {
        const written = attribute === undefined ? node.text : node.attribute(attribute);
        return notOfOrigin(webAddress(written, baseOf(node, documentUrl)), ownOrigin);
      })
      .find((address) => address !== null) ?? null;
  const replies = item
    .all('link', 'atom:link')
    .filter((link) => relationOf(link) === 'replies' && !/xml/i.test(link.attribute('type') ?? ''));
  return extrasOf(offers, {
    comments: firstAddress(item.all('comments')) ?? firstAddress(replies, 'href'),
    chapters: firstAddress(item.all('podcast:chapters'), 'url'),
    duration:
      item.textOf('itunes:duration') ?? item.all('media:content')[0]?.attribute('duration') ?? null,
    tags: item
      .all('category', 'atom:category')
      .slice(0, MOST_CATEGORIES)
      .map((node) => node.attribute('label') ?? node.attribute('term') ?? node.text),
  });
}

export function mediaElements(item: XmlNode, name: string): XmlNode[] {
  const groups = item.all('media:group');
  const contents = [item, ...groups].flatMap((holder) => holder.all('media:content'));
  return [item, ...groups, ...contents].flatMap((holder) => holder.all(name));
}

function defaultFirst(contents: readonly XmlNode[]): XmlNode[] {
  const isDefault = (content: XmlNode): boolean =>
    content.attribute('isdefault')?.trim().toLowerCase() === 'true';
  return [...contents.filter(isDefault), ...contents.filter((content) => !isDefault(content))];
}

function offerOf(element: XmlNode, written: string | null, documentUrl: string): MediaOffer {
  const [thumbnail] = element.all('media:thumbnail');
  return {
    url: webAddress(written, baseOf(element, documentUrl)),
    type: element.attribute('type'),
    medium: element.attribute('medium'),
    title: element.textOf('media:title') ?? element.attribute('title'),
    length: element.attribute('length') ?? element.attribute('filesize'),
    thumbnail: webAddress(thumbnail?.attribute('url') ?? null, documentUrl),
  };
}

function baseOf(element: XmlNode, documentUrl: string): string {
  return element.attribute('base') ?? documentUrl;
}
