import { readDate } from '../dates/read-date.js';
import { beginsElement } from '../html/plain-text.js';
import { htmlOf, safeLineOf, shownHtmlOf, showsSomething, type Prose } from '../html/prose.js';
import { chooseEnclosures } from '../items/enclosure.js';
import { finishItems, LONGEST_TITLE, type ItemDraft, isRightToLeft } from '../items/finish-item.js';
import type { FeedDocument, ParsedFeed } from '../parsed-feed.js';
import { impliedBase, itemAddress, notOfOrigin, webAddress } from '../web-address.js';
import { words } from '../words.js';
import { authorsOfFeed, authorsOfItem } from './authors.js';
import type { FeedShape } from './feed-vocabulary.js';
import { PUBLISHED, UPDATED } from './item-dates.js';
import { extrasOfItem, mediaElements, offersOfItem } from './media.js';
import { readPublishingHints } from './publishing-hints.js';
import { readProse } from './read-prose.js';
import { relationOf, type XmlFeed, type XmlNode } from './xml-nodes.js';

const FEED_TITLES = ['title', 'atom:title', 'dc:title', 'itunes:title'];
const ITEM_TITLES = ['title', 'atom:title', 'dc:title', 'dcterms:title', 'itunes:title'];

/** Elements for the body of an item, the fullest first. */
const BODIES = words(`
  content:encoded content atom:content fullitem body xhtml:body xhtml:div description summary atom:summary
  dc:description dcterms:abstract dcterms:description itunes:summary googleplay:description itunes:subtitle`);

/** Redirecting hosts; the address of the article is in `feedburner:origLink`. */
const FORWARDERS =
  /^https?:\/\/(?:feedproxy\.google\.com|feeds\.feedburner\.com|rss\.feedsportal\.com|[^/]*\/~r\/)/;

/** Values that items inherit from the feed. */
interface FeedContext {
  readonly shape: FeedShape;
  /** Base of addresses without one. */
  readonly documentUrl: string;
  readonly ownOrigin: string | null;
  readonly author: string | null;
  readonly language: string | null;
  readonly direction: string | null;
}

/** Maps the nodes of an XML feed to a feed. */
export function mapFeed(
  { feed, items }: XmlFeed,
  shape: FeedShape,
  {
    url: documentUrl,
    ownOrigin = null,
    rule = 'automatic',
  }: Pick<FeedDocument, 'url' | 'ownOrigin' | 'rule'>,
): ParsedFeed {
  const base = feed.frameAttribute('base') ?? documentUrl;
  const link = linkOfFeed(feed, base);
  const context: FeedContext = {
    shape,
    documentUrl: impliedBase(link, documentUrl),
    ownOrigin,
    author: authorsOfFeed(feed, shape),
    language: feed.textOf('language', 'dc:language') ?? feed.frameAttribute('lang'),
    direction: feed.frameAttribute('dir'),
  };
  return {
    title: titleAmong(feed.all(...FEED_TITLES), shape) ?? '',
    link,
    iconUrl: iconOfFeed(feed, base),
    items: finishItems(
      items.map((item) => draftOf(item, context)),
      { rule, addresses: [link, documentUrl], dates: datesOfDocument(feed) },
    ),
    publishing: readPublishingHints(feed, base),
    warning: null,
    cut: false,
  };
}

function datesOfDocument(feed: XmlNode): number[] {
  return feed.all('lastbuilddate', ...PUBLISHED).flatMap(({ text }) => readDate(text) ?? []);
}

function draftOf(item: XmlNode, context: FeedContext): ItemDraft {
  const { shape, documentUrl, ownOrigin } = context;
  const url = urlOfItem(item, documentUrl);
  const body = bodyOf(item, shape);
  const mediaDescription = mediaDescriptionOf(item, shape);
  const [title] = item.all(...ITEM_TITLES);
  const near = [body?.node, title, item].filter((node) => node !== undefined);
  const explicitBase = body?.node.attribute('base') ?? item.attribute('base');
  // RSS has no base; addresses in bodies are usually relative to the page.
  const usualBase = shape === 'rss' && url?.startsWith('http') ? url : documentUrl;
  const offers = offersOfItem(item, documentUrl);
  const thumbnails: Address[] = [
    ...addresses(mediaElements(item, 'media:thumbnail'), 'url'),
    ...addresses(item.all('itunes:image', 'googleplay:image'), 'href'),
    ...addresses(
      item.all('image').flatMap((image) => [...image.all('url'), image]),
      'href',
    ),
  ];
  return {
    guid: guidOf(item) ?? (url === null ? item.textOf('dc:identifier') : null),
    url,
    title: titleAmong([...item.all(...ITEM_TITLES), ...mediaElements(item, 'media:title')], shape),
    author: authorsOfItem(item, shape) ?? context.author,
    pubDateSeconds: dateAmong(item, PUBLISHED),
    updatedDateSeconds: dateAmong(item, UPDATED),
    html: body ? htmlOf(body.prose) : (mediaDescription?.html ?? ''),
    shownHtml: body ? shownHtmlOf(body.prose) : (mediaDescription?.shownHtml ?? ''),
    base: explicitBase ?? usualBase,
    ownOrigin,
    ...chooseEnclosures(offers),
    mediaThumbnail: notOfOrigin(firstAddress(thumbnails, documentUrl), ownOrigin),
    mediaDescription: mediaDescription?.shownHtml ?? null,
    extras: extrasOfItem(item, offers, documentUrl, ownOrigin),
    rtl: isRightToLeft(
      firstOf(near, (node) => node.attribute('dir')) ?? context.direction,
      ...near.map((node) => node.attribute('lang')),
      item.textOf('language', 'dc:language'),
      context.language,
    ),
    isEmpty: !item.holdsAnything && item.attribute('about') === null,
  };
}

function guidOf(item: XmlNode): string | null {
  return item.textOf('guid', 'id', 'atom:id') ?? item.attribute('about');
}

function titleAmong(nodes: readonly XmlNode[], shape: FeedShape): string | null {
  return firstOf(nodes, (node) => {
    const prose = readProse(node, shape);
    return prose && safeLineOf(prose, LONGEST_TITLE);
  });
}

function dateAmong(item: XmlNode, names: readonly string[]): number | null {
  return firstOf(item.all(...names), ({ text }) => readDate(text));
}

interface Body {
  readonly node: XmlNode;
  readonly prose: Prose;
}

/** The fullest visible text of an item, or else the first invisible one. */
function bodyOf(item: XmlNode, shape: FeedShape): Body | null {
  let unseen: Body | null = null;
  for (const name of BODIES) {
    const written = item.all(name);
    const bodies = readBodies([...written.flatMap((node) => node.all(name)), ...written], shape);
    const seen = bodies.filter(({ prose }) => showsSomething(prose));
    // Of several bodies with one name, HTML wins over plain text.
    const body = seen.find(({ prose }) => prose.kind === 'html') ?? seen[0];
    if (body) {
      return body;
    }
    unseen ??= bodies[0] ?? null;
  }
  return unseen;
}

function readBodies(nodes: readonly XmlNode[], shape: FeedShape): Body[] {
  return nodes.flatMap((node) => {
    const prose = readProse(node, shape);
    return prose ? [{ node, prose }] : [];
  });
}

/** Plain text with significant line ends, as video publishers write it. */
function mediaDescriptionOf(
  item: XmlNode,
  shape: FeedShape,
): Pick<ItemDraft, 'html' | 'shownHtml'> | null {
  return firstOf(mediaElements(item, 'media:description'), (node) => {
    const prose = readProse(node, shape);
    if (!prose) {
      return null;
    }
    const html = htmlOf(prose);
    if (beginsElement(html)) {
      return { html, shownHtml: shownHtmlOf(prose) };
    }
    const shownHtml = shownHtmlOf(prose).replace(/(?<=<br>)\n/g, '');
    const withLines = (text: string) => text.replace(/\r\n?|\n/g, '<br>');
    return { html: withLines(html), shownHtml: withLines(shownHtml) };
  });
}

/**
 * The web page of an item: alternate link, else a permanent guid, else the external content, else a
 * link to the item itself.
 */
function urlOfItem(item: XmlNode, documentUrl: string): string | null {
  const resolve = (written: string | null, node: XmlNode): string | null =>
    itemAddress(written, node.attribute('base') ?? item.attribute('base') ?? documentUrl);
  const links = item.all('link', 'atom:link');
  const related = (relation: string): XmlNode[] =>
    links.filter((link) => relationOf(link) === relation && link.attribute('href') !== null);
  const alternates = related('alternate');
  const link =
    firstOf(
      links.filter((node) => node.attribute('href') === null && relationOf(node) === 'alternate'),
      (node) => resolve(node.text, node),
    ) ??
    firstOf([...alternates.filter(isPage), ...alternates], (node) =>
      resolve(node.attribute('href'), node),
    );
  const original = firstOf(item.all('feedburner:origlink'), (node) => resolve(node.text, node));
  if (original !== null && (link === null || FORWARDERS.test(link))) {
    return original;
  }
  return (
    link ??
    firstOf(item.all('guid'), (node) => permanentAddress(node, documentUrl)) ??
    firstOf(item.all('id', 'atom:id'), ({ text }) => absoluteAddress(text)) ??
    absoluteAddress(item.attribute('about')) ??
    firstOf(item.all('content', 'atom:content').filter(isPage), (node) =>
      resolve(node.attribute('src'), node),
    ) ??
    firstOf([...related('self'), ...related('via'), ...related('related')], (node) =>
      resolve(node.attribute('href'), node),
    )
  );
}

function isPage(link: XmlNode): boolean {
  return /html|^$/i.test(link.attribute('type') ?? '');
}

/** A guid is a permalink by default; only with `isPermaLink="true"` may it be relative. */
function permanentAddress(guid: XmlNode, documentUrl: string): string | null {
  const said = guid.attribute('ispermalink')?.trim().toLowerCase();
  if (said === 'false') {
    return null;
  }
  if (said === 'true') {
    return itemAddress(guid.text, guid.attribute('base') ?? documentUrl);
  }
  return absoluteAddress(guid.text);
}

function absoluteAddress(text: string | null): string | null {
  return text !== null && /^https?:\/\//i.test(text.trim()) ? webAddress(text, text.trim()) : null;
}

function linkOfFeed(feed: XmlNode, base: string): string | null {
  const links = feed.all('link', 'atom:link');
  const alternates = links.filter((link) => relationOf(link) === 'alternate');
  return firstOf([...alternates.filter(isPage), ...alternates], (link) => {
    const written = link.attribute('href') ?? (link.text === '' ? null : link.text);
    return webAddress(written, link.attribute('base') ?? base);
  });
}

function iconOfFeed(feed: XmlNode, base: string): string | null {
  const images = feed.all('image');
  const written: Address[] = [
    ...addresses(feed.all('webfeeds:icon', 'icon', 'atom:icon')),
    ...addresses(images.flatMap((image) => image.all('url'))),
    ...addresses(feed.all('logo', 'atom:logo', 'webfeeds:logo')),
    ...addresses(feed.all('itunes:image', 'googleplay:image'), 'href'),
    ...addresses(images, 'url'),
    ...addresses(images, 'href'),
    ...addresses(images, 'resource'),
    ...addresses(feed.all('media:thumbnail'), 'url'),
  ];
  return firstAddress(written, base);
}

/** An address as written, with the base of its element. */
interface Address {
  readonly written: string;
  readonly base: string | null;
}

/** The addresses in an attribute of these elements, or else in their text. */
function addresses(nodes: readonly XmlNode[], attribute?: string): Address[] {
  return nodes.flatMap((node) => {
    const written = (attribute === undefined ? null : node.attribute(attribute)) ?? node.text;
    return written === '' ? [] : [{ written, base: node.attribute('base') }];
  });
}

function firstAddress(candidates: readonly Address[], documentUrl: string): string | null {
  return firstOf(candidates, ({ written, base }) => webAddress(written, base ?? documentUrl));
}

function firstOf<T, R>(candidates: readonly T[], read: (candidate: T) => R | null): R | null {
  for (const candidate of candidates) {
    const found = read(candidate);
    if (found !== null) {
      return found;
    }
  }
  return null;
}
