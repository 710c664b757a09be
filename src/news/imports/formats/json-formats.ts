import { decodeReferences, withoutControls } from '../../feed-parser/html/character-references.js';
import type { NamedFeed } from '../imported-row.js';
import {
  at,
  fieldsOf,
  isRecord,
  listAt,
  rowOf,
  type Fields,
  type FormatName,
  type FoundRow,
  type Raw,
} from './found-row.js';

/** What a file has around its rows. */
export type Envelope = Raw | readonly unknown[];

export interface JsonFormat {
  readonly name: FormatName;
  /** Whether a file is of this format: by what is around the rows, and the first row. */
  readonly isOf: (envelope: Envelope, first: Raw | null) => boolean;
  readonly fields: Fields;
  /**
   * What is more than a field, from what is around the rows: prepared once for a file.
   *
   * @returns of a row, its further fields; a sentence if it is left out
   */
  readonly more?: (envelope: Envelope) => (raw: Raw, list: number) => FoundRow | string;
  readonly feeds?: (envelope: Envelope) => readonly NamedFeed[];
}

/** The row of a record; a sentence if it is left out. */
export function jsonRows(format: JsonFormat, envelope: Envelope) {
  const more = format.more?.(envelope);
  return (raw: Raw, list: number): FoundRow | string => {
    const further = more?.(raw, list) ?? {};
    return typeof further === 'string' ? further : { ...rowOf(raw, format.fields), ...further };
  };
}

/** Formats whose file is a list, by fields of its rows. */
const listOf = (name: FormatName, keys: string, format: Omit<JsonFormat, 'name' | 'isOf'>) => ({
  name,
  isOf: (envelope: Envelope, first: Raw | null) => Array.isArray(envelope) && has(first, keys),
  ...format,
});

/** Formats whose file is an object with these fields. */
const objectWith = (name: FormatName, keys: string, format: Omit<JsonFormat, 'name' | 'isOf'>) => ({
  name,
  isOf: (envelope: Envelope) => has(envelope, keys),
  ...format,
});

function has(value: unknown, keys: string): boolean {
  return isRecord(value) && keys.split(' ').every((key) => Object.hasOwn(value, key));
}

const texts = (values: readonly unknown[]) => values.filter((value) => typeof value === 'string');

const GOOGLE_READER_FIELDS = fieldsOf(`
      url=canonical.0.href|alternate.0.href title body=content.content|summary.content author
      published saved=starred|timestampUsec|crawlTimeMsec guid enclosureUrl=enclosure.0.href
      enclosureMime=enclosure.0.type feedUrl=origin.feedUrl feedSite=origin.htmlUrl
      feedTitle=origin.title`);

/** Files of starred articles that are older than the category of a star. */
const STARRED_LIST = /\/state\/(?:com\.google|org\.freshrss)\/starred$/;

const googleReader =
  (envelope: Envelope) =>
  (raw: Raw): FoundRow => {
    const categories = texts(listAt(raw, 'categories'));
    const states = categories.flatMap((it) => /\/state\/com\.google\/(.+)$/.exec(it)?.[1] ?? []);
    const labels = categories.flatMap((it) => /^user\/[^/]+\/label\/(.+)$/s.exec(it)?.[1] ?? []);
    const isOfStarredList = STARRED_LIST.test(String(at(envelope, 'id')));
    const annotations = listAt(raw, 'annotations');
    return {
      read: states.length === 0 ? null : states.includes('read'),
      starred: states.includes('starred') || (isOfStarredList && labels.length === 0),
      labels,
      highlights: annotations.filter((it) => has(it, 'text')).filter(isRecord),
      note: texts(annotations.map((it) => at(it, 'content') ?? it)).join('\n\n'),
      feedUrl: at(raw, 'origin.feedUrl') ?? addressOfStream(at(raw, 'origin.streamId')),
    };
  };

function addressOfStream(stream: unknown): unknown {
  return typeof stream === 'string' ? /^feed\/(https?:.+)$/s.exec(stream)?.[1] : undefined;
}

/** FreshRSS escapes these for HTML. */
const ESCAPED = [
  ['title', 'title'],
  ['author', 'author'],
  ['feedTitle', 'origin.title'],
] as const;

const isFreshRss = (envelope: Envelope, first: Raw | null) =>
  at(first, 'origin.feedUrl') !== undefined ||
  String(at(envelope, 'id')).includes('/state/org.freshrss/');

const isGoogleReader = (envelope: Envelope, first: Raw | null) =>
  has(envelope, 'items') &&
  (/^(?:user|feed)\//.test(String(at(envelope, 'id'))) ||
    has(first, 'origin categories') ||
    has(first, 'crawlTimeMsec'));

const FEEDLY_STAR = /\/tag\/global\.saved$/;

/** Folders of other programs, as labels: by id, `Nature/Birds`. */
function pathsOf(folders: readonly unknown[]): ReadonlyMap<string, string> {
  const byId = new Map(folders.filter(isRecord).map((it) => [String(it['id']), it]));
  const pathOf = (folder: Raw | undefined, left: number): string[] =>
    folder === undefined || left === 0
      ? []
      : [...pathOf(byId.get(String(folder['parentId'])), left - 1), String(folder['name'])];
  return new Map([...byId].map(([id, folder]) => [id, pathOf(folder, 20).join('/')]));
}

/** All formats in JSON; the first that fits is meant. */
export const JSON_FORMATS: readonly JsonFormat[] = [
  {
    name: 'feedly',
    isOf: (envelope, first) =>
      has(envelope, 'items') && (has(first, 'fingerprint') || has(first, 'originId')),
    fields: [
      ...GOOGLE_READER_FIELDS,
      ...fieldsOf(
        'url=alternate.0.href|canonicalUrl|canonical.0.href saved=actionTimestamp|crawled unread guid=originId',
      ),
    ],
    more: () => (raw) => {
      const tags = listAt(raw, 'tags');
      const annotations = listAt(raw, 'annotations');
      const isOfText = (it: unknown) => at(it, 'highlight.text') !== undefined;
      return {
        starred: tags.some((tag) => FEEDLY_STAR.test(String(at(tag, 'id')))),
        labels: tags.map((tag) => at(tag, 'label')),
        highlights: annotations.filter(isOfText).map((it) => ({
          text: at(it, 'highlight.text'),
          note: at(it, 'comment'),
        })),
        note: annotations
          .filter((it) => !isOfText(it))
          .flatMap((it) => at(it, 'comment') ?? [])
          .join('\n\n'),
        feedUrl: addressOfStream(at(raw, 'origin.streamId')),
      };
    },
  },
  {
    name: 'freshrss',
    isOf: (envelope, first) => has(envelope, 'items') && isFreshRss(envelope, first),
    fields: GOOGLE_READER_FIELDS,
    more: (envelope) => {
      const more = googleReader(envelope);
      return (raw) => ({
        ...more(raw),
        ...Object.fromEntries(
          ESCAPED.map(([field, path]) => [field, decodeReferences(String(at(raw, path) ?? ''))]),
        ),
      });
    },
  },
  ...(['inoreader', 'google-reader'] as const).map((name) => ({
    name,
    isOf: (envelope: Envelope, first: Raw | null) =>
      isGoogleReader(envelope, first) &&
      (name !== 'inoreader' ||
        has(first, 'likingUsers') ||
        String(at(envelope, 'self.href')).includes('inoreader.com')),
    fields: GOOGLE_READER_FIELDS,
    more: googleReader,
  })),
  objectWith('miniflux', 'entries total', {
    fields: fieldsOf(`
      url title body=content author published=published_at saved=created_at starred
      enclosureUrl=enclosures.0.url enclosureMime=enclosures.0.mime_type feedUrl=feed.feed_url
      feedSite=feed.site_url feedTitle=feed.title`),
    more: () => (raw) => {
      const hash = String(at(raw, 'hash') ?? '').toLowerCase();
      return {
        read: at(raw, 'status') === undefined ? null : at(raw, 'status') === 'read',
        hash: /^[0-9a-f]{1,64}$/.test(hash) ? { kind: 'miniflux', hash } : null,
      };
    },
  }),
  objectWith('tt-rss', 'articles self_url', {
    fields: fieldsOf(`
      url=link title body=content author published=updated note enclosureUrl=enclosures.0.url
      enclosureMime=enclosures.0.type feedSite=source.link feedTitle=source.title`),
    // Only the list says what its articles have in common: -1 is the star, those below -1024 are labels.
    more: (envelope) => {
      const list = Number(/[?&]id=(-\d+)/.exec(String(at(envelope, 'feed_url')))?.[1] ?? 0);
      const starred = list === -1;
      const labels = list < -1024 ? [at(envelope, 'title')] : [];
      return () => ({ starred, labels });
    },
  }),
  objectWith('newsblur', 'stories', {
    fields: fieldsOf(`
      url=story_permalink title=story_title body=story_content author=story_authors
      published=story_timestamp saved=starred_timestamp read=read_status starred note=user_notes
      guid=id`),
    more: (envelope) => (raw) => {
      const feed = at(envelope, `feeds.${String(at(raw, 'story_feed_id'))}`);
      return {
        labels: listAt(raw, 'user_tags'),
        highlights: listAt(raw, 'highlights').map((text) => ({ text })),
        feedUrl: at(feed, 'feed_address'),
        feedSite: at(feed, 'feed_link'),
        feedTitle: at(feed, 'feed_title'),
      };
    },
  }),
  objectWith('karakeep', 'bookmarks', {
    fields: fieldsOf('url=content.url title saved=createdAt read=archived note'),
    more: (envelope) => {
      const lists = listAt(envelope, 'lists').filter((list) => at(list, 'type') !== 'smart');
      const paths = pathsOf(lists);
      return (raw) => ({
        labels: [
          ...listAt(raw, 'tags'),
          ...listAt(raw, 'lists').map((id) => paths.get(String(id))),
        ],
      });
    },
  }),
  objectWith('linkwarden', 'collections', {
    fields: fieldsOf('url title=name saved=importDate|createdAt'),
    more: (envelope) => {
      const collections = listAt(envelope, 'collections');
      const paths = pathsOf(collections);
      const ofLists = collections.filter((it) => has(it, 'links')).map((it) => at(it, 'id'));
      const pinned = new Set(listAt(envelope, 'pinnedLinks').map((it) => String(at(it, 'id'))));
      return (raw, list) => ({
        starred: pinned.has(String(at(raw, 'id'))),
        labels: [
          ...listAt(raw, 'tags').map((tag) => at(tag, 'name')),
          paths.get(String(ofLists[list])),
        ],
      });
    },
    feeds: (envelope) =>
      listAt(envelope, 'collections').flatMap((collection) =>
        listAt(collection, 'rssSubscriptions').map((feed) => ({
          url: withoutControls(String(at(feed, 'url') ?? '')),
          title: textOrNull(at(feed, 'name')),
          folder: textOrNull(at(collection, 'name')),
        })),
      ),
  }),
  listOf('nextcloud-news', 'feedLink pubDate unread', {
    fields: fieldsOf(`
      url title body author published=pubDate unread starred guid enclosureUrl=enclosureLink
      enclosureMime feedSite=feedLink`),
  }),
  listOf('wallabag', 'is_archived domain_name', {
    fields: fieldsOf(`
      url=url|given_url|origin_url title body=content published=published_at saved=created_at
      read=is_archived starred=is_starred`),
    more: () => (raw) => ({
      author: texts(listAt(raw, 'published_by')).join(', '),
      labels: listAt(raw, 'tags').map((tag) => at(tag, 'label') ?? tag),
      highlights: listAt(raw, 'annotations').map((it) => ({
        text: at(it, 'quote'),
        note: at(it, 'text'),
      })),
    }),
  }),
  listOf('omnivore', 'slug savedAt state', {
    fields: fieldsOf('url title author published=publishedAt saved=savedAt slug'),
    more: () => (raw) => ({
      read: at(raw, 'state') === 'Archived',
      labels: listAt(raw, 'labels').map((label) => at(label, 'name') ?? label),
    }),
  }),
  listOf('netnewswire', 'articleID uniqueID feedID', {
    fields: fieldsOf(`
      url=url|externalURL title body=contentHTML|contentText|summary published=datePublished
      saved=dateArrived read starred guid=uniqueID feedUrl=feedID`),
  }),
  listOf('feedbin', 'published created_at url content', {
    fields: fieldsOf('url title body=content author published saved=created_at'),
    more: () => () => ({ starred: true }),
  }),
];

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? withoutControls(value) : null;
}
