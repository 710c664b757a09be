import { decodeReferences } from '../html/character-references.js';
import type { StartTag } from '../html/tag-scanner.js';
import { words } from '../words.js';

/** The two normalised formats of XML feeds; RSS 0.9x, 1.0 and 2.0 share the first. */
export type FeedShape = 'rss' | 'atom';

/**
 * Prefix of elements in unknown namespaces, which are omitted with their content.
 */
export const FOREIGN = '?';

/** Prefix of the format's own elements, in any namespace that a publisher put them in. */
export const CORE = '';

export const ATOM_NAMESPACE = 'http://www.w3.org/2005/Atom';

/** Namespaces as feedparser spells them. */
export const ATOM_NAMESPACES: ReadonlySet<string> = new Set([
  ATOM_NAMESPACE,
  'http://purl.org/atom/ns#',
]);

/** Usual prefixes by namespace address, as `prefixOfNamespace` normalises it. */
const PREFIXES = new Map([
  ['http://www.w3.org/2005/atom', 'atom'],
  ['http://purl.org/atom/ns', 'atom'],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns', 'rdf'],
  ['http://purl.org/rss/1.0', CORE],
  ['http://purl.org/net/rss1.1', CORE],
  ['http://my.netscape.com/rdf/simple/0.9', CORE],
  ['http://channel.netscape.com/rdf/simple/0.9', CORE],
  ['http://my.netscape.com/publish/formats/rss-0.91.dtd', CORE],
  ['http://backend.userland.com/rss', CORE],
  ['http://backend.userland.com/rss091', CORE],
  ['http://backend.userland.com/rss092', CORE],
  ['http://backend.userland.com/rss2', CORE],
  ['http://blogs.law.harvard.edu/tech/rss', CORE],
  ['http://cyber.law.harvard.edu/rss/rss.html', CORE],
  ['http://www.rssboard.org/rss-specification', CORE],
  ['http://purl.org/dc/elements/1.0', 'dc'],
  ['http://purl.org/dc/elements/1.1', 'dc'],
  ['http://purl.org/dc/elements', 'dc'],
  ['http://purl.org/dc/terms', 'dcterms'],
  ['http://purl.org/rss/1.0/modules/content', 'content'],
  ['http://purl.org/rss/1.0/modules/syndication', 'sy'],
  ['http://search.yahoo.com/mrss', 'media'],
  ['http://video.search.yahoo.com/mrss', 'media'],
  ['http://tools.search.yahoo.com/mrss', 'media'],
  ['http://www.rssboard.org/media-rss', 'media'],
  ['http://www.itunes.com/dtds/podcast-1.0.dtd', 'itunes'],
  ['http://example.com/dtds/podcast-1.0.dtd', 'itunes'],
  ['http://www.google.com/schemas/play-podcasts/1.0', 'googleplay'],
  ['http://rssnamespace.org/feedburner/ext/1.0', 'feedburner'],
  ['http://webfeeds.org/rss/1.0', 'webfeeds'],
  ['http://podcastindex.org/namespace/1.0', 'podcast'],
  ['http://github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md', 'podcast'],
  ['http://purl.oclc.org/net/rss_2.0/enc', 'enc'],
  ['http://purl.org/rss/1.0/modules/prism', 'prism'],
  ['http://www.w3.org/1999/xhtml', 'xhtml'],
  ['http://www.w3.org/xml/1998/namespace', 'xml'],
]);

/** Prefixes recognised without a declaration. */
const USUAL_PREFIXES = new Map([
  ...[...new Set(PREFIXES.values())].map((prefix) => [prefix, prefix] as const),
  ['a', 'atom'],
  ['a10', 'atom'],
  ['atom10', 'atom'],
  ['atom03', 'atom'],
  ['rss', CORE],
  ['syn', 'sy'],
  ['html', 'xhtml'],
]);

/** @param address in upper or lower case, with or without TLS and its ending `/` or `#` */
export function prefixOfNamespace(address: string): string | null {
  const plain = address
    .trim()
    .toLowerCase()
    .replace(/^https:/, 'http:')
    .replace(/[/#]$/, '');
  // The namespaces of PRISM hold its version.
  const isPrism = plain.startsWith('http://prismstandard.org/namespaces/');
  return isPrism ? 'prism' : (PREFIXES.get(plain) ?? null);
}

export function usualPrefix(prefix: string): string {
  return USUAL_PREFIXES.get(prefix) ?? FOREIGN;
}

/** Structural elements: the beginning or end of one closes all smaller elements. */
export const FRAME: ReadonlySet<string> = new Set(words('item entry channel feed rss rdf:rdf'));

/** Elements with child elements. */
export const STRUCTURE: ReadonlySet<string> = new Set(
  words(`
  item entry author image source skiphours skipdays atom:author atom:source dc:creator media:group
  media:content podcast:alternateenclosure`),
);

/** Elements whose content, text or markup, is kept as one text. */
export const PROSE: ReadonlySet<string> = new Set(
  words(`
  title description summary content subtitle tagline fullitem body atom:title atom:summary atom:content
  atom:subtitle content:encoded dc:title dc:description dcterms:title dcterms:abstract dcterms:description
  itunes:title itunes:summary itunes:subtitle googleplay:description media:title media:description
  xhtml:body xhtml:div`),
);

/** Elements with plain text or only attributes. */
export const PLAIN: ReadonlySet<string> = new Set(
  words(`
  link guid id pubdate published updated issued modified created lastbuilddate date language ttl hour day
  name email url logo icon enclosure category comments managingeditor webmaster atom:link atom:id
  atom:published atom:updated atom:issued atom:modified atom:name atom:email atom:icon atom:category
  atom:logo dc:author dc:date dc:identifier dc:language dcterms:creator dcterms:issued dcterms:created
  dcterms:modified dcterms:available dcterms:date prism:publicationdate prism:coverdate prism:creationdate
  prism:modificationdate enc:enclosure feedburner:origlink itunes:author
  itunes:duration itunes:image googleplay:author googleplay:image media:thumbnail media:credit media:player
  podcast:chapters podcast:source sy:updateperiod sy:updatefrequency webfeeds:icon webfeeds:logo`),
);

/** Elements that describe a person, with their children. */
export const PERSONS: ReadonlySet<string> = new Set(['author', 'atom:author', 'dc:creator']);
export const OF_PERSONS: ReadonlySet<string> = new Set(
  words('name email uri url atom:name atom:email atom:uri'),
);

export function isKnown(name: string): boolean {
  return STRUCTURE.has(name) || PROSE.has(name) || PLAIN.has(name);
}

/** Attributes that are kept, and their canonical names. Prefixes matter only in case of a collision. */
export const ATTRIBUTES: ReadonlyMap<string, string> = new Map(
  words(`
    about dir expression filesize href isdefault label ispermalink lang length medium mode rel
    resource role src term title type uri url`).flatMap((name) =>
    ['', 'rdf:', 'atom:', 'xml:', 'enc:'].map((prefix) => [prefix + name, name] as const),
  ),
);

/** Whether an attribute has a meaning here, so that it is read however many its tag has. */
export function isKnownAttribute(name: string): boolean {
  return ATTRIBUTES.has(name) || name === 'xml:base' || name.startsWith('xmlns');
}

/** Limit on nested declarations. */
const MOST_SCOPES = 32;

/** The namespaces declared on one element and, through `parent`, on those around it. */
export interface NamespaceScope {
  readonly prefixes: ReadonlyMap<string, string>;
  readonly parent: NamespaceScope | null;
  readonly depth: number;
}

/** @returns the scope inside the element; the parent's if the element declares nothing */
export function declareNamespaces(
  tag: StartTag,
  parent: NamespaceScope | null,
): NamespaceScope | null {
  let prefixes: Map<string, string> | null = null;
  for (const [name, value] of tag.attributes) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) {
      continue;
    }
    prefixes ??= new Map();
    prefixes.set(name.slice(6), decodeReferences(value).trim());
  }
  const depth = (parent?.depth ?? 0) + 1;
  if (!prefixes || depth > MOST_SCOPES) {
    return parent;
  }
  return { prefixes, parent, depth };
}

/** @returns null for an undeclared prefix */
export function lookUp(scope: NamespaceScope | null, prefix: string): string | null {
  for (let at = scope; at; at = at.parent) {
    const namespace = at.prefixes.get(prefix);
    if (namespace !== undefined) {
      return namespace;
    }
  }
  return null;
}

/** The tag with attributes of its own namespace, as in `<a:link a:href>`, without their prefix. */
export function withPlainAttributes(tag: StartTag, scope: NamespaceScope | null): StartTag {
  if (scope === null || tag.attributes.size === 0) {
    return tag;
  }
  const namespaceOf = (name: string) =>
    lookUp(scope, name.slice(0, Math.max(0, name.indexOf(':'))));
  const own = namespaceOf(tag.name);
  const plain = Array.from(tag.attributes, ([name, value]) => {
    const isOwn = own !== null && name.includes(':') && namespaceOf(name) === own;
    return [isOwn ? name.slice(name.indexOf(':') + 1) : name, value] as const;
  });
  return { ...tag, attributes: new Map(plain) };
}
