import { AccessInput } from '../sources/access/feed-access.input.js';
import type { PartialAccess } from '../sources/access/feed-access.service.js';

/** What a file says about a feed in attributes of other readers, apart from rules. */
export interface ForeignSettings {
  readonly fullText?: true;
  readonly access?: PartialAccess;
  /** Attributes that become nothing here, each with a sentence. */
  readonly notTaken: readonly NotTaken[];
}

export interface NotTaken {
  /** As the other reader spells it. */
  readonly attribute: string;
  readonly reason: string;
}

const SELECTORS = 'Full text finds the text of an article by itself, without selectors.';
const FETCHING = 'Gatefold decides by itself how feeds are fetched.';
const PROXY = 'The administrators of the service choose the proxy.';
const SHOWING = 'Gatefold has no such setting for a feed.';
const POSTING = 'Feeds are fetched with GET, so this one may not work.';

/** Of FreshRSS and Miniflux, as they spell them. Those that become settings or rules are not here. */
const REASONS: Readonly<Record<string, string>> = {
  'frss:cssFullContent': SELECTORS,
  'frss:cssFullContentFilter': SELECTORS,
  'frss:cssFullContentConditions': 'Full text is for all articles of a feed, or for none.',
  'frss:priority': SHOWING,
  'frss:CURLOPT_COOKIEFILE': 'A cookie that the publisher sets is kept for one fetch only.',
  'frss:CURLOPT_FOLLOWLOCATION': FETCHING,
  'frss:CURLOPT_MAXREDIRS': FETCHING,
  'frss:CURLOPT_POST': POSTING,
  'frss:CURLOPT_POSTFIELDS': POSTING,
  'frss:CURLOPT_PROXY': PROXY,
  'frss:CURLOPT_PROXYTYPE': PROXY,
  'miniflux:scraperRules': SELECTORS,
  'miniflux:rewriteRules': 'Gatefold does not rewrite articles.',
  'miniflux:urlRewriteRules': 'Gatefold does not rewrite links.',
  'miniflux:ignoreHTTPCache': FETCHING,
  'miniflux:fetchViaProxy': PROXY,
  'miniflux:disabled': 'Feeds cannot be switched off, so this one is fetched.',
  'miniflux:noMediaPlayer': SHOWING,
  'miniflux:hideGlobally': SHOWING,
  'miniflux:allowSelfSignedCertificates':
    'Certificates are always checked. An administrator can add your own authority.',
  'miniflux:disableHTTP2': FETCHING,
  'miniflux:ignoreEntryUpdates':
    'Changed articles are always shown as they are now; they stay read.',
};

const KNOWN = new Map(
  Object.entries(REASONS).map(([attribute, reason]) => [
    attribute.toLowerCase(),
    { attribute, reason },
  ]),
);

/** Taken as settings here, or as rules by `foreign-rules.ts`. */
const TAKEN =
  /^(?:frss:(?:filtersactionread|curlopt_(?:cookie|useragent|httpheader))|miniflux:(?:(?:block|keep)(?:list|filterentry)rules|crawler|useragent))$/;

const OF_OTHERS = /^(?:frss|miniflux):/;

/** Types of FreshRSS for pages that it reads by selectors. */
export const isReadBySelectors = (type: string) => /\+(?:xpath|dotnotation)/i.test(type);

export const NEEDS_SELECTORS =
  'This is a page that another reader reads by selectors, and no feed. It is not followed.';
export const LIST_OF_FEEDS = 'Lists of feeds that change by themselves are not followed.';

/** @param attributes of a feed, by their names in lower case */
export function foreignSettings(
  attributes: Readonly<Record<string, string>>,
): ForeignSettings | null {
  const notTaken: NotTaken[] = [];
  const given = Object.entries(attributes).filter(
    ([name, value]) => OF_OTHERS.test(name) && value.trim() !== '' && value !== 'false',
  );
  if (given.length === 0) {
    return null;
  }
  for (const [name] of given.filter(([name]) => !TAKEN.test(name))) {
    notTaken.push(KNOWN.get(name) ?? { attribute: name, reason: 'Gatefold does not know it.' });
  }
  const values = Object.fromEntries(given);
  const access: Record<string, string> = {};
  const take = (attribute: string, field: string, value: string | undefined) => {
    if (value === undefined) {
      return;
    }
    const { error } = AccessInput.safeParse({ [field]: value.trim() });
    if (error === undefined) {
      access[field] = value.trim();
    } else {
      notTaken.push({ attribute, reason: `The value ${error.issues[0]?.message}.` });
    }
  };
  take('frss:CURLOPT_COOKIE', 'cookie', values['frss:curlopt_cookie']);
  take('frss:CURLOPT_USERAGENT', 'userAgent', values['frss:curlopt_useragent']);
  take('miniflux:userAgent', 'userAgent', values['miniflux:useragent']);
  for (const header of (values['frss:curlopt_httpheader'] ?? '').split(/\r?\n/)) {
    const attribute = 'frss:CURLOPT_HTTPHEADER';
    const [, name = '', value = ''] = /^\s*([^:\s]+)\s*:(.*)$/.exec(header) ?? [];
    const [, basic] = /^\s*basic\s+([\w+/=-]+)\s*$/i.exec(value) ?? [];
    if (/^(?:cookie|user-agent)$/i.test(name)) {
      take(attribute, /^cookie$/i.test(name) ? 'cookie' : 'userAgent', value);
    } else if (/^authorization$/i.test(name) && basic !== undefined) {
      const [userName = '', ...password] = Buffer.from(basic, 'base64').toString().split(':');
      take(attribute, 'userName', userName);
      take(attribute, 'password', password.join(':'));
    } else if (header.trim() !== '') {
      const reason = 'Of headers, only Cookie, User-Agent and Authorization: Basic are sent.';
      notTaken.push({ attribute, reason });
    }
  }
  const fullText = [
    values['frss:cssfullcontent'],
    values['miniflux:crawler'],
    values['miniflux:scraperrules'],
  ].some((value) => value !== undefined);
  return {
    ...(fullText && { fullText }),
    ...(Object.keys(access).length > 0 && { access }),
    notTaken,
  };
}
