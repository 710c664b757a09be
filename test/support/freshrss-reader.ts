/**
 * Reads a file of articles by the rules of FreshRSS, strictly: what that program would take silently for something
 * else is an error here.
 */
export interface FreshRssArticle {
  readonly guid: string;
  readonly title: string;
  readonly link: string;
  readonly feedUrl: string;
  readonly feedTitle: string;
  readonly content: string;
  readonly publishedSeconds: number;
  readonly isRead: boolean;
  readonly isStarred: boolean;
  readonly labels: readonly string[];
  readonly tags: readonly string[];
}

const STATE = 'user/-/state/com.google/';
const LABEL = 'user/-/label/';
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** @throws Error that names the field which FreshRSS would not take */
export function readAsFreshRss(json: string): FreshRssArticle[] {
  const file = JSON.parse(json) as { readonly items?: unknown };
  if (!Array.isArray(file.items)) {
    throw new Error('There is no list "items".');
  }
  return file.items.map((item: unknown, n) => articleOf(fieldsOf(item, `items[${n}]`), n));
}

type Fields = (path: string) => unknown;

function fieldsOf(item: unknown, place: string): Fields {
  return (path) => {
    let value = item;
    for (const key of path.split('.')) {
      if (typeof value !== 'object' || value === null) {
        throw new Error(`${place} has no ${path}.`);
      }
      value = (value as Readonly<Record<string, unknown>>)[key];
    }
    return value;
  };
}

function articleOf(field: Fields, n: number): FreshRssArticle {
  const text = (path: string): string => {
    const value = field(path);
    if (typeof value !== 'string') {
      throw new Error(`items[${n}].${path} is no text.`);
    }
    return value;
  };
  // They are kept as HTML: a bare sign would be markup, and escaped twice it would be shown.
  const escaped = (path: string): string => {
    const value = text(path);
    if (/[<>]|&(?!(?:amp|lt|gt);)|&amp;(?:amp|lt|gt);/.test(value)) {
      throw new Error(`items[${n}].${path} is not escaped once: ${value}`);
    }
    return value.replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? entity);
  };
  const guid = text('guid');
  if (guid === '' || !/^\d{16,}$/.test(text('timestampUsec'))) {
    throw new Error(`items[${n}] has no guid, or no time of arrival in microseconds.`);
  }
  const published = field('published');
  if (typeof published !== 'number' || String(published).length >= 11) {
    throw new Error(`items[${n}].published is not in seconds.`);
  }
  const categories = field('categories');
  if (!Array.isArray(categories) || !categories.every((one) => typeof one === 'string')) {
    throw new Error(`items[${n}].categories are no texts.`);
  }
  const states = new Set(categories.filter((one) => one.startsWith(STATE)));
  if (states.has(`${STATE}read`) === states.has(`${STATE}unread`)) {
    throw new Error(`items[${n}] is neither read nor unread, or both.`);
  }
  const feedUrl = text('origin.feedUrl');
  if (!URL.canParse(feedUrl)) {
    throw new Error(`items[${n}].origin.feedUrl is no address.`);
  }
  return {
    guid,
    title: escaped('title'),
    link: text('alternate.0.href'),
    feedUrl,
    feedTitle: escaped('origin.title'),
    content: text('content.content'),
    publishedSeconds: published,
    isRead: states.has(`${STATE}read`),
    isStarred: states.has(`${STATE}starred`),
    labels: categories.flatMap((one) => (one.startsWith(LABEL) ? [one.slice(LABEL.length)] : [])),
    tags: categories.filter((one) => !one.startsWith('user/')),
  };
}
