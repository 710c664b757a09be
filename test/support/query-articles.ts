import type {
  ItemPart,
  ItemState,
  Place,
  QueriedArticle,
  UserPlaces,
} from '../../src/news/query/query.js';

/** The articles of our own making of the language's examples. Now is 2026-03-12 12:00 UTC. */
export const NOW = new Date('2026-03-12T12:00:00Z');

const FEEDS = [
  'World/News',
  'Pixel Weekly/Games',
  'Release Notes/Tech',
  'Code & Co/Tech',
  'TV Guide/Leisure',
  'Tube: Ada/Video',
  'Radio/Audio',
  'Ελλάδα/News',
  'Tokyo/News',
  'Work/Leisure',
  'Lire/Leisure',
].map((pair) => pair.split('/'));

const FOLDERS = [...new Set(FEEDS.map(([, folder = '']) => folder))];

const numbered = (names: readonly string[], from: number): Place[] =>
  names.map((name, n) => ({ id: from + n, name }));

export const PLACES: UserPlaces = {
  feed: numbered(
    FEEDS.map(([feed = '']) => feed),
    1,
  ),
  folder: numbered(FOLDERS, 101),
  label: numbered(['Later', 'To do'], 201),
  search: [],
};

interface Written {
  readonly title: string;
  readonly text: string;
  readonly feed: string;
  /** `2026-03-10 08:00`, UTC. */
  readonly date: string;
  readonly url: string;
  readonly author?: string;
  readonly categories?: readonly string[];
  readonly states?: readonly ItemState[];
  readonly parts?: readonly ItemPart[];
  readonly labels?: readonly string[];
  /** Seconds. */
  readonly duration?: number;
}

const NO_STATES: Record<ItemState, boolean> = {
  unread: false,
  read: false,
  starred: false,
  filtered: false,
  duplicate: false,
  labelled: false,
  highlighted: false,
};

const NO_PARTS: Record<ItemPart, boolean> = {
  audio: false,
  video: false,
  picture: false,
  media: false,
  comments: false,
  author: false,
  label: false,
};

const all = <Key extends string>(keys: readonly Key[]) =>
  Object.fromEntries(keys.map((key) => [key, true])) as Partial<Record<Key, boolean>>;

const idOf = (places: readonly Place[], name: string) =>
  places.find((place) => place.name === name)?.id ?? 0;

export function queriedArticle(written: Partial<Written>): QueriedArticle {
  const { title = '', text = '', feed = 'World', date = '2026-03-10 08:00', url = '' } = written;
  const {
    author = null,
    categories = [],
    states = [],
    parts = [],
    labels = [],
    duration,
  } = written;
  const seconds = Date.parse(`${date.replace(' ', 'T')}:00Z`) / 1000;
  const folder = FEEDS.find(([name]) => name === feed)?.[1] ?? '';
  return {
    title,
    url,
    author,
    categories,
    text: () => text,
    feedId: idOf(PLACES.feed, feed),
    folderId: idOf(PLACES.folder, folder),
    labelIds: labels.map((name) => idOf(PLACES.label, name)),
    states: {
      ...NO_STATES,
      ...all(states),
      unread: !states.includes('read'),
      labelled: labels.length > 0,
    },
    parts: {
      ...NO_PARTS,
      ...all(parts),
      media: parts.includes('audio') || parts.includes('video'),
      author: author !== null,
      label: labels.length > 0,
    },
    publishedSeconds: seconds,
    arrivedSeconds: seconds + 600,
    durationSeconds: duration ?? null,
    answerTo: () => null,
  };
}

const longText = (beginning: string, words: number) =>
  beginning + ' filler'.repeat(words - beginning.split(' ').length);

const ARTICLES: readonly Written[] = [
  {
    title: 'Breaking: Quake hits Café district',
    text: 'A magnitude 6.1 earthquake near the coast.',
    feed: 'World',
    date: '2026-03-10 08:00',
    author: 'Zoë Müller',
    categories: ['World', 'Natural disasters'],
    url: 'https://news.example.org/world/quake',
  },
  {
    title: 'Kingdom Come: Deliverance II review',
    text: 'The RPG costs $59.',
    feed: 'Pixel Weekly',
    date: '2026-03-01 09:00',
    author: 'Sam Deal',
    categories: ['Reviews', 'PC'],
    states: ['starred'],
    url: 'https://pixel.example/reviews/kcd2',
  },
  {
    title: 'Best deals today: 50% off headphones (sponsored)',
    text: 'Only until midnight.',
    feed: 'Pixel Weekly',
    date: '2026-03-11 09:00',
    author: 'Deals Team',
    categories: ['Deals'],
    url: 'https://pixel.example/deals/50-off',
  },
  {
    title: 'OpenBSD 7.8 released',
    text: 'The new version is here.',
    feed: 'Release Notes',
    date: '2026-02-20 09:00',
    states: ['read'],
    url: 'https://releases.example/openbsd-7-8',
  },
  {
    title: 'C++26 and the future of modules',
    text: longText('What changes in C++ for libraries.', 2400),
    feed: 'Code & Co',
    date: '2026-03-09 09:00',
    author: 'J. Doe',
    categories: ['C++', 'Languages'],
    url: 'https://code.example/cpp26',
  },
  {
    title: 'Why C is still here',
    text: longText('Plain C, and nothing else.', 900),
    feed: 'Code & Co',
    date: '2026-03-08 09:00',
    author: 'J. Doe',
    categories: ['Languages'],
    url: 'https://code.example/c',
  },
  {
    title: 'Love It or List It: season 20',
    text: 'The series returns.',
    feed: 'TV Guide',
    date: '2026-03-05 09:00',
    url: 'https://tv.example/love-it',
  },
  {
    title: 'Ten seconds of silence',
    text: 'Nothing.',
    feed: 'Tube: Ada',
    date: '2026-03-12 10:00',
    author: 'Ada',
    parts: ['video'],
    duration: 45,
    url: 'https://www.youtube.com/shorts/abc',
  },
  {
    title: 'Talk: search languages',
    text: 'Slides and questions.',
    feed: 'Tube: Ada',
    date: '2026-03-12 09:00',
    author: 'Ada',
    labels: ['Later'],
    parts: ['video'],
    duration: 2880,
    url: 'https://www.youtube.com/watch?v=xyz',
  },
  {
    title: 'Episode 112: rules',
    text: 'We talk about filters.',
    feed: 'Radio',
    date: '2026-03-06 09:00',
    parts: ['audio'],
    duration: 3600,
    url: 'https://radio.example/112',
  },
  {
    title: 'Ανακοίνωση: Αθήνα',
    text: 'Νέα από την πόλη.',
    feed: 'Ελλάδα',
    date: '2026-03-07 09:00',
    url: 'https://gr.example/athina',
  },
  {
    title: '東京で大雨',
    text: '各地で雨が続く。',
    feed: 'Tokyo',
    date: '2026-03-07 10:00',
    url: 'https://jp.example/ame',
  },
  {
    title: 'Resume tips',
    text: 'How to write one.',
    feed: 'Work',
    date: '2026-03-04 09:00',
    url: 'https://work.example/resume',
  },
  {
    title: 'Résumé d’un été',
    text: 'Un été à Paris.',
    feed: 'Lire',
    date: '2025-09-04 09:00',
    url: 'https://lire.example/ete',
  },
  {
    title: 'Weekly recap: AT&T, Trump and the Pope',
    text: 'The week in short.',
    feed: 'World',
    date: '2026-03-07 18:00',
    author: 'Editors',
    categories: ['Recap'],
    states: ['read', 'filtered'],
    url: 'https://news.example.org/recap/11',
  },
  {
    title: 'iPhone and Android apps in March',
    text: 'Ten apps.',
    feed: 'Code & Co',
    date: '2026-03-03 09:00',
    author: 'J. Doe',
    categories: ['Apps'],
    url: 'https://code.example/apps',
  },
  {
    title: 'iOS 20 tips',
    text: 'For your iPhone.',
    feed: 'Code & Co',
    date: '2026-03-02 09:00',
    author: 'J. Doe',
    categories: ['Apps'],
    url: 'https://code.example/ios',
  },
];

/** Keyed A1, A2 … */
export const EXAMPLE_ARTICLES: ReadonlyMap<string, QueriedArticle> = new Map(
  ARTICLES.map((written, n) => [`A${n + 1}`, queriedArticle(written)]),
);
