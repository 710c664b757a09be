import { rss } from '../feed-server.js';
import type { Play, Round } from './play.js';
import type { Version } from './publisher.js';
import { Random } from './random.js';

/*
 * Publishers that know their entries: sites that move, sign their links or change their format, pages
 * that show the present state of something, and posts that are edited. What happens in one round is
 * what docs/decisions/0023-identity-of-articles.md can tell apart, and no more.
 */

const DAY_SECONDS = 86_400;
const FIRST_SECONDS = Date.UTC(2026, 0, 1) / 1000;

/** How a site names its entries. */
type Naming = 'address' | 'opaque' | 'link' | 'sometimes' | 'enclosure';
type Format = 'rss' | 'atom' | 'json';

interface Site {
  scheme: 'http' | 'https';
  host: string;
  /** The path of an entry. */
  path: 'plain' | 'dated' | 'html' | 'query';
  slash: boolean;
  format: Format;
  /** Rises when all guids change. */
  guids: number;
}

interface Post {
  readonly entry: number;
  title: string | null;
  seconds: number | null;
  text: string | null;
}

/** The written item of an entry. */
interface Written extends Version {
  readonly enclosure: string | null;
}

/** A history of a site that moves: its entries stay the same ones, regardless of their addresses. */
export function movesOf(seed: number, rounds: number): Play {
  const random = new Random(seed);
  const naming =
    random.pick<Naming>(['address', 'opaque', 'link', 'sometimes', 'enclosure']) ?? 'link';
  const isSigned = naming === 'enclosure' || (naming === 'link' && random.chance(0.4));
  const hasDates = naming === 'enclosure' || random.chance(0.8);
  const bodies = random.pick(['none', 'text', 'links'] as const) ?? 'text';
  const areTitlesAlike = hasDates && random.chance(0.2);
  // What is signed, and moves its pages, needs a date or a text that stays.
  const hasEvidence = hasDates || bodies === 'text';
  const site: Site = {
    scheme: 'http',
    host: 'blog.example',
    path: random.pick(['plain', 'dated', 'html'] as const) ?? 'plain',
    slash: false,
    format: 'rss',
    guids: 0,
  };
  const window = 4 + random.below(6);
  const story: string[] = [
    `moves ${seed}, named by ${naming}, dates ${hasDates}, bodies ${bodies}`,
  ];
  let posts: Post[] = [];
  let entries = 0;
  const add = (): Post => {
    entries += 1;
    return {
      entry: entries,
      title: areTitlesAlike ? 'Daily' : `Title ${entries}`,
      seconds: hasDates ? FIRST_SECONDS + entries * DAY_SECONDS : null,
      text: bodies === 'none' ? null : `text ${entries}`,
    };
  };
  const moves: Readonly<Record<string, () => void>> = {
    ...((hasEvidence || !isSigned || bodies === 'none') && {
      https: () => (site.scheme = site.scheme === 'http' ? 'https' : 'http'),
      www: () =>
        (site.host = site.host.startsWith('www.') ? site.host.slice(4) : `www.${site.host}`),
    }),
    slash: () => (site.slash = !site.slash),
    ...((hasDates || !isSigned) && {
      domain: () => (site.host = `blog${random.below(1000)}.example`),
    }),
    ...(hasEvidence && {
      path: () => (site.path = site.path === 'html' ? 'dated' : 'html'),
      format: () => {
        site.format = random.pick(['rss', 'atom', 'json'] as const) ?? 'rss';
        site.guids += 1;
      },
      guids: () => (site.guids += 1),
      merge: () => {
        posts = [...posts, ...Array.from({ length: 1 + random.below(3) }, add)];
        site.host = 'merged.example';
        site.guids += 1;
      },
    }),
  };
  const documents = Array.from({ length: rounds }, (_, round): Round => {
    const isMoving = round > 0 && random.chance(0.5);
    const added = Array.from({ length: round === 0 ? 3 : random.below(3) }, add);
    posts = [...added.toReversed(), ...posts];
    const told: string[] = added.map(({ entry }) => `add ${entry}`);
    if (isMoving) {
      const what = random.pick(Object.keys(moves)) ?? 'https';
      moves[what]?.();
      told.push(what);
    } else if (round > 0 && !isSigned && naming !== 'sometimes' && hasEvidence) {
      told.push(editOne(random, posts, round));
    }
    posts = posts.slice(0, window);
    story.push(`  round ${round}: ${told.join('; ')}`);
    const listed = posts.map((post) => {
      const link = linkOf(site, post, isSigned ? round : null);
      return {
        ...versionOf(post),
        guid: guidOf(naming, site, post, random),
        link: naming === 'enclosure' ? null : link,
        body: bodyOf(post, bodies === 'links' ? site : null),
        enclosure: naming === 'enclosure' ? link : null,
      };
    });
    return roundOf(site, listed, round);
  });
  return { seed, story: story.join('\n'), rounds: documents };
}

/** A history of a page that shows the present state of something: each text is an entry of its own. */
export function stateOf(seed: number, rounds: number): Play {
  const random = new Random(seed);
  const kind =
    random.pick(['alerts', 'section', 'dashboard', 'playing', 'changelog', 'guids'] as const) ??
    'alerts';
  const site: Site = {
    scheme: 'https',
    host: 'status.example',
    path: 'plain',
    slash: false,
    format: random.pick(['rss', 'atom', 'json'] as const) ?? 'rss',
    guids: 0,
  };
  const home = 'https://status.example/';
  const page = {
    alerts: home,
    section: `${home}${random.pick(['status', 'now-playing', 'alerts.html'])}`,
    dashboard: home,
    playing: home,
    changelog: `${home}changelog`,
    guids: `${home}alerts/area-51`,
  }[kind];
  const atOnce =
    kind === 'dashboard' ? 3 : kind === 'section' || kind === 'guids' ? 1 : 1 + random.below(3);
  const names = { alerts: 'Service alert', section: 'Alert', guids: 'Alert' };
  let entries = 0;
  const add = (place: number): Written => {
    entries += 1;
    const title = kind in names ? names[kind as keyof typeof names] : `Title ${entries}`;
    return {
      entry: entries,
      guid: kind === 'guids' ? `guid ${entries}` : null,
      title: kind === 'dashboard' ? `Gauge ${place}` : title,
      date: FIRST_SECONDS + entries * 600,
      body: kind === 'playing' ? 'Listen live.' : `text ${entries}`,
      link: page,
      enclosure: null,
    };
  };
  let listed: Written[] = [];
  const documents = Array.from({ length: rounds }, (_, round): Round => {
    const added = Array.from(
      { length: kind === 'dashboard' ? 3 : random.below(2) + 1 },
      (__, place) => add(place),
    );
    listed = [...added.toReversed(), ...listed].slice(0, atOnce);
    return roundOf(site, listed, round);
  });
  return { seed, story: `state ${seed}: ${kind}, ${atOnce} at once`, rounds: documents };
}

/** A history of posts with pages of their own, of which each fetch sees some parts edited. */
export function editsOf(seed: number, rounds: number): Play {
  const random = new Random(seed);
  const site: Site = {
    scheme: 'https',
    host: 'blog.example',
    path: 'plain',
    slash: random.chance(0.5),
    format: random.pick(['rss', 'atom', 'json'] as const) ?? 'rss',
    guids: 0,
  };
  const story = [`edits ${seed}`];
  const posts = Array.from({ length: 2 + random.below(4) }, (_, n): Post => {
    return {
      entry: n + 1,
      title: `Title ${n + 1}`,
      seconds: FIRST_SECONDS + n * DAY_SECONDS,
      text: `text ${n + 1}`,
    };
  }).toReversed();
  const documents = Array.from({ length: rounds }, (_, round): Round => {
    if (round > 0) {
      const edited = random.pick(posts) ?? posts[0];
      const left = random.pick(['title', 'date', 'text', 'none'] as const) ?? 'none';
      for (const part of ['title', 'date', 'text'].filter(
        (one) => one !== left && left !== 'none',
      )) {
        edit(edited as Post, part, round);
      }
      story.push(`  round ${round}: edit ${edited?.entry} but its ${left}`);
    }
    const listed = posts.map((post) => {
      return { ...versionOf(post), link: linkOf(site, post, null), enclosure: null };
    });
    return roundOf(site, listed, round);
  });
  return { seed, story: story.join('\n'), rounds: documents };
}

function editOne(random: Random, posts: readonly Post[], round: number): string {
  const post = random.pick(posts);
  const parts = (['title', 'date', 'text'] as const).filter((part) => {
    const value = { title: post?.title, date: post?.seconds, text: post?.text }[part];
    return value !== null && value !== 'Daily';
  });
  const part = random.pick(parts);
  if (post === undefined || part === undefined || random.chance(0.4)) {
    return 'nothing else';
  }
  edit(post, part, round);
  return `edit ${part} of ${post.entry}`;
}

function edit(post: Post, part: string, round: number): void {
  if (part === 'title') {
    post.title = `Title ${post.entry} of round ${round}`;
  } else if (part === 'date') {
    post.seconds = (post.seconds ?? FIRST_SECONDS) + 60 * round;
  } else {
    post.text = `text ${post.entry} of round ${round}`;
  }
}

function versionOf({ entry, title, seconds, text }: Post): Omit<Version, 'link'> & { link: null } {
  return { entry, guid: null, title, date: seconds, body: text, link: null };
}

function linkOf(site: Site, { entry }: Post, signature: number | null): string {
  const slug = `entry-${entry}`;
  const paths = {
    plain: slug,
    dated: `2026/${slug}`,
    html: `posts/${slug}.html`,
    query: `?p=${entry}`,
  };
  const signed = signature === null ? '' : `?signature=${signature}${entry}`;
  const slash = site.slash && site.path !== 'html' ? '/' : '';
  return `${site.scheme}://${site.host}/${paths[site.path]}${slash}${signed}`;
}

function guidOf(naming: Naming, site: Site, post: Post, random: Random): string | null {
  switch (naming) {
    case 'address':
      return linkOf(site, post, null);
    case 'opaque':
      return `tag:${site.guids},${post.entry}`;
    case 'sometimes':
      return random.chance(0.5) ? `guid ${post.entry}` : null;
    default:
      return null;
  }
}

/** @param site whose address the text has; null for none */
function bodyOf({ text }: Post, site: Site | null): string | null {
  if (text === null || site === null) {
    return text;
  }
  return `${text} of ${site.scheme}://${site.host}/about`;
}

function roundOf(site: Site, listed: readonly Written[], round: number): Round {
  const home = `${site.scheme}://${site.host}/`;
  const write = { rss: writeRss, atom: writeAtom, json: writeJson }[site.format];
  return { text: write(home, listed, round), url: `${home}feed`, listed, isSame: false };
}

const authorOf = ({ entry }: Version) => `entry ${entry}`;
const isoOf = (date: number | null) =>
  date === null ? undefined : new Date(date * 1000).toISOString();

function writeRss(home: string, listed: readonly Written[], round: number): string {
  return rss({
    title: 'Moves',
    link: home,
    channelXml: `<generator>${round}</generator>`,
    items: listed.map((version) => ({
      author: authorOf(version),
      ...(version.title !== null && { title: version.title }),
      ...(version.guid !== null && { guid: version.guid }),
      ...(version.link !== null && { link: version.link }),
      ...(version.body !== null && { body: version.body }),
      ...(version.date !== null && { pubDate: new Date(version.date * 1000) }),
      ...(version.enclosure !== null && {
        enclosure: { url: version.enclosure, type: 'audio/mpeg' },
      }),
    })) as Parameters<typeof rss>[0]['items'],
  });
}

function writeAtom(home: string, listed: readonly Written[], round: number): string {
  const entries = listed.map((version) =>
    [
      `<entry><author><name>${authorOf(version)}</name></author>`,
      version.title === null ? '' : `<title>${version.title}</title>`,
      version.guid === null ? '' : `<id>${version.guid}</id>`,
      version.link === null ? '' : `<link href="${version.link}"/>`,
      version.body === null ? '' : `<content type="html">${version.body}</content>`,
      version.date === null ? '' : `<published>${isoOf(version.date)}</published>`,
      version.enclosure === null
        ? ''
        : `<link rel="enclosure" type="audio/mpeg" href="${version.enclosure}"/>`,
      '</entry>',
    ].join(''),
  );
  return `<feed xmlns="http://www.w3.org/2005/Atom"><title>Moves</title><link href="${home}"/>
    <generator>${round}</generator>${entries.join('\n')}</feed>`;
}

function writeJson(home: string, listed: readonly Written[], round: number): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: 'Moves',
    description: `fetch ${round}`,
    home_page_url: home,
    items: listed.map((version) => ({
      authors: [{ name: authorOf(version) }],
      id: version.guid ?? undefined,
      title: version.title ?? undefined,
      content_html: version.body ?? undefined,
      url: version.link ?? undefined,
      date_published: isoOf(version.date),
      attachments: version.enclosure
        ? [{ url: version.enclosure, mime_type: 'audio/mpeg' }]
        : undefined,
    })),
  });
}
