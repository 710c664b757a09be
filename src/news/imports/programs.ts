import type { FormatName } from './formats/found-row.js';

/** What people call the programs of the formats. */
const PROGRAMS: Readonly<Record<FormatName, string>> = {
  bookmarks: 'bookmarks',
  feedbin: 'Feedbin',
  feedly: 'Feedly',
  freshrss: 'FreshRSS',
  gatefold: 'Gatefold',
  'google-reader': 'Google Reader',
  inoreader: 'Inoreader',
  instapaper: 'Instapaper',
  karakeep: 'Karakeep',
  linkwarden: 'Linkwarden',
  miniflux: 'Miniflux',
  netnewswire: 'NetNewsWire',
  newsblur: 'NewsBlur',
  'nextcloud-news': 'Nextcloud News',
  omnivore: 'Omnivore',
  opml: 'OPML',
  pocket: 'Pocket',
  raindrop: 'Raindrop',
  'readwise-reader': 'Readwise Reader',
  'tt-rss': 'Tiny Tiny RSS',
  wallabag: 'wallabag',
};

/** The name of a program; the format's own if a later version stored it. */
export const programOf = (format: FormatName): string => PROGRAMS[format] ?? format;
