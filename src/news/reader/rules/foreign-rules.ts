import { RULE_DEFAULTS, type PortableRule } from './portable-rule.js';
import type { GivenAction } from './rules.service.js';

/** A condition of another reader that has none of ours; the message says why. */
class Untranslatable extends Error {}

/** Rules of a feed in OPML files of other readers, by the names of its attributes in lower case. */
export const FEED_FILTERS = [
  'frss:filtersactionread',
  'miniflux:blockfilterentryrules',
  'miniflux:keepfilterentryrules',
  'miniflux:blocklistrules',
  'miniflux:keeplistrules',
] as const;

export type FeedFilters = Readonly<Partial<Record<(typeof FEED_FILTERS)[number], string>>>;

const linesOf = (text = '') => text.split(/\r?\n/).filter((line) => line.trim() !== '');

/** Rules of FreshRSS and Miniflux for one feed. @param url of the feed */
export function rulesOfFeed(filters: FeedFilters, url: string): PortableRule[] {
  const rule = (query: () => string, typed: string, type: 'read' | 'hide') =>
    translated(query, typed, {
      scope: { ...RULE_DEFAULTS.scope, everything: false, feeds: [url] },
      actions: [{ type }],
    });
  const keep = linesOf(filters['miniflux:keepfilterentryrules']);
  const [blockList, keepList] = [
    filters['miniflux:blocklistrules'] ?? '',
    filters['miniflux:keeplistrules'] ?? '',
  ];
  return [
    ...linesOf(filters['frss:filtersactionread']).map((line) =>
      rule(() => ofFreshRss(line), line, 'read'),
    ),
    ...linesOf(filters['miniflux:blockfilterentryrules']).map((line) =>
      rule(() => ofMiniflux(line), line, 'hide'),
    ),
    ...(blockList === '' ? [] : [rule(() => anywhere(blockList), blockList, 'hide')]),
    ...(keep.length === 0
      ? []
      : [rule(() => `-(${keep.map(ofMiniflux).join(' OR ')})`, keep.join('\n'), 'hide')]),
    ...(keepList === '' || keep.length > 0
      ? []
      : [rule(() => `-${anywhere(keepList)}`, keepList, 'hide')]),
  ];
}

function translated(
  query: () => string,
  typed: string,
  rest: Pick<PortableRule, 'actions'> & Partial<PortableRule>,
): PortableRule {
  try {
    return { ...RULE_DEFAULTS, name: typed.slice(0, 100), ...rest, query: query() };
  } catch (error) {
    if (!(error instanceof Untranslatable)) {
      throw error;
    }
    return {
      ...RULE_DEFAULTS,
      name: typed.slice(0, 100),
      ...rest,
      query: typed,
      problem: error.message,
    };
  }
}

/** A pattern of PCRE or RE2 as a term of ours. */
function pattern(field: string, source: string, flags = ''): string {
  const [, inline = '', rest = ''] = /^\(\?([ims]+)\)(.*)$/s.exec(source) ?? [null, '', source];
  const all = [...new Set(flags + inline)].filter((flag) => 'ims'.includes(flag)).join('');
  return `${field}/${rest.replace(/\\\/|\//g, String.raw`\/`)}/${all}`;
}

const literal = (field: string, text: string) =>
  pattern(field, text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), 'i');

const quoted = (text: string) => `"${text.replace(/["\\]/g, String.raw`\$&`)}"`;

const FRESHRSS_TERM =
  /(\s+)|([()])|([-!]?)(?:([a-z]+):|(#))?(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|\/((?:[^/\\]|\\.)+)\/([imsu]*)(?=[\s)]|$)|((?:[^\s()\\]|\\.)+))/giy;

const FRESHRSS_FIELDS: Readonly<Record<string, string>> = {
  intitle: 'intitle:',
  intext: 'intext:',
  author: 'author:',
  inurl: 'inurl:',
  date: 'arrived:',
  pubdate: 'date:',
};

/** A search of FreshRSS: its words are parts of words. */
function ofFreshRss(line: string): string {
  return line.trim().replace(FRESHRSS_TERM, (term, ...found: (string | undefined)[]) => {
    const [space, bracket, not, name, tag, double, single, source, flags, word] = found;
    if (space !== undefined || bracket !== undefined || /^(?:OR|AND)$/.test(term)) {
      return term;
    }
    const sign = not ? '-' : '';
    const text = (double ?? single ?? word ?? '').replace(/\\(.)/g, '$1');
    if (tag !== undefined) {
      return `${sign}category:${quoted(text.replaceAll('+', ' '))}`;
    }
    const field = name === undefined ? '' : FRESHRSS_FIELDS[name.toLowerCase()];
    if (field === undefined) {
      throw new Untranslatable(`"${term}" of FreshRSS has no equivalent.`);
    }
    if (source !== undefined) {
      return sign + pattern(field, source, flags);
    }
    if (field === 'inurl:') {
      return `${sign}inurl:${quoted(text)}`;
    }
    return sign + (/^(?:arrived|date):$/.test(field) ? field + text : literal(field, text));
  });
}

const MINIFLUX_FIELDS: Readonly<Record<string, string>> = {
  EntryTitle: 'intitle:',
  EntryURL: 'inurl:',
  EntryContent: 'intext:',
  EntryAuthor: 'author:',
  EntryTag: 'category:',
};

/** A line `Field=RE2` of Miniflux. */
function ofMiniflux(line: string): string {
  const [, name = '', value = ''] = /^\s*(\w+)\s*=(.*)$/.exec(line) ?? [];
  const field = MINIFLUX_FIELDS[name];
  if (field !== undefined) {
    return pattern(field, value.trim());
  }
  const [, kind = '', rest = ''] =
    /^(future|before|after|between|max-age):?(.*)$/.exec(value.trim()) ?? [];
  switch (name === 'EntryDate' ? kind : '') {
    case 'future':
      return 'after:now';
    case 'before':
    case 'after':
      return `${kind}:${rest}`;
    case 'between':
      return `date:${rest.replace(',', '..')}`;
    case 'max-age':
      return `older_than:${rest}`;
    default:
      throw new Untranslatable(`"${line.trim()}" of Miniflux has no equivalent.`);
  }
}

/** A pattern over address, title, author and tags. */
const anywhere = (source: string) =>
  `(${['inurl:', 'intitle:', 'author:', 'category:'].map((field) => pattern(field, source)).join(' OR ')})`;

interface TtRssFilter {
  readonly title?: string;
  readonly match_any_rule?: unknown;
  readonly inverse?: unknown;
  readonly enabled?: unknown;
  readonly rules?: readonly {
    readonly reg_exp?: string;
    readonly filter_type?: unknown;
    readonly inverse?: unknown;
    readonly cat_filter?: unknown;
    readonly feed?: string;
    readonly match?: unknown;
  }[];
  readonly actions?: readonly { readonly action_id?: unknown; readonly action_param?: string }[];
}

const TT_RSS_FIELDS: Readonly<Record<string, readonly string[]>> = {
  1: ['intitle:'],
  2: ['intext:'],
  3: ['intitle:', 'intext:'],
  4: ['inurl:'],
  6: ['author:'],
  7: ['category:'],
};

const TT_RSS_ACTIONS: Readonly<Record<string, 'hide' | 'read' | 'star' | 'stop'>> = {
  1: 'hide',
  2: 'read',
  3: 'star',
  8: 'stop',
};

const isTrue = (value: unknown) => value === true || /^(?:t|true|1)$/.test(String(value));

/** A filter of tt-rss. @param json as its OPML has it @returns null for what is none */
export function ruleOfTtRss(json: string): PortableRule | null {
  let filter: TtRssFilter;
  try {
    filter = JSON.parse(json) as TtRssFilter;
  } catch {
    return null;
  }
  if (typeof filter !== 'object' || !Array.isArray(filter.rules)) {
    return null;
  }
  const query = () => {
    const terms = (filter.rules ?? []).map((one) => {
      const fields = TT_RSS_FIELDS[String(one.filter_type)];
      if (fields === undefined) {
        throw new Untranslatable(
          `The kind ${String(one.filter_type)} of a rule of tt-rss has no equivalent.`,
        );
      }
      const found = fields.map((field) => pattern(field, one.reg_exp ?? '', 'i')).join(' OR ');
      const places = placesOf(one);
      const condition = `${isTrue(one.inverse) ? '-' : ''}(${found})`;
      return places.length === 0 ? condition : `(${condition} (${places.join(' OR ')}))`;
    });
    const all = terms.join(isTrue(filter.match_any_rule) ? ' OR ' : ' ');
    return isTrue(filter.inverse) ? `-(${all})` : all;
  };
  const actions = (filter.actions ?? []).flatMap(actionOfTtRss);
  const left = (filter.actions ?? []).length - actions.length;
  const rule = translated(query, JSON.stringify(filter.rules), {
    name: filter.title || 'tt-rss',
    actions,
    enabled: filter.enabled === undefined || isTrue(filter.enabled),
  });
  return left > 0 ? { ...rule, left: `${left} of its actions have no equivalent.` } : rule;
}

function actionOfTtRss({
  action_id: id,
  action_param: param = '',
}: NonNullable<TtRssFilter['actions']>[number]): GivenAction[] {
  const type = TT_RSS_ACTIONS[String(id)];
  if (type !== undefined) {
    return [{ type }];
  }
  return /^[47]$/.test(String(id)) && param.trim() !== ''
    ? [{ type: 'label', names: param.split(',').map((name) => name.trim()) }]
    : [];
}

/** Feeds and folders of a rule of tt-rss, by name. */
function placesOf({
  match,
  feed,
  cat_filter: isFolder,
}: NonNullable<TtRssFilter['rules']>[number]) {
  const named = (name: string, isCategory: unknown) =>
    `${isTrue(isCategory) ? 'folder' : 'feed'}:${quoted(name)}`;
  if (!Array.isArray(match)) {
    return feed ? [named(feed, isFolder)] : [];
  }
  return (match as [unknown, unknown, unknown][]).flatMap(([name, isCategory, isId]) => {
    if (isTrue(isId) && String(name) !== '0') {
      throw new Untranslatable('It names a feed of tt-rss by its number.');
    }
    return typeof name === 'string' && name !== '' ? [named(name, isCategory)] : [];
  });
}
