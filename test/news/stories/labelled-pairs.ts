import { existsSync, readFileSync } from 'node:fs';
import type { StoryArticle } from '../../../src/news/story/story-signature.js';

/** An article as its source delivers it. */
export interface LabelledArticle extends StoryArticle {
  readonly source: string;
  /** Articles of one story have one name. */
  readonly story: string;
}

export interface LabelledPair {
  readonly kind: string;
  readonly a: LabelledArticle;
  readonly b: LabelledArticle;
  readonly isOneStory: boolean;
}

interface Story {
  readonly name: string;
  readonly title: string;
  /** Another desk's title, a summary that is not in the text, another desk's text. */
  readonly retitled: string | undefined;
  readonly summary: string | undefined;
  readonly rewritten: string | undefined;
  readonly text: string;
}

const NOON = Date.UTC(2026, 10, 25, 12) / 1000;
const HOUR = 3600;

/**
 * The pairs of a folder: copies of its `stories.txt`, its `look-alikes.txt` against each other, and
 * `by-hand.txt`, where each pair is written out.
 */
export function labelledPairs(folder: URL): readonly LabelledPair[] {
  const stories = storiesOf(readFileSync(new URL('stories.txt', folder), 'utf8'));
  const alike = readFileSync(new URL('look-alikes.txt', folder), 'utf8');
  return [
    ...stories.flatMap((story, n) => copiesOf(story, stories[(n + 1) % stories.length] ?? story)),
    ...lookAlikes(alike),
    ...strangers(stories),
    ...pairsByHand(new URL('by-hand.txt', folder)),
  ];
}

/** All pairs of articles that somebody else made, without having seen the rules. */
export function pairsByAnotherHand(): readonly LabelledPair[] {
  const lines = readFileSync(new URL('by-another-hand.jsonl', import.meta.url), 'utf8').trim();
  const articles = lines.split('\n').map((line): LabelledArticle => {
    const [story, source, title, url, html, hours] = JSON.parse(line);
    return { story, source, title, url, html, publishedSeconds: NOON + hours * HOUR };
  });
  return articles.flatMap((a, n) =>
    articles.slice(0, n).map((b) => ({ kind: a.story, a, b, isOneStory: a.story === b.story })),
  );
}

function storiesOf(file: string): readonly Story[] {
  return file
    .split(/^== /m)
    .slice(1)
    .map((block) => {
      const [head = '', ...lines] = block.trim().split('\n');
      const line = (mark: string) =>
        lines.find((one) => one.startsWith(`${mark}: `))?.slice(mark.length + 2);
      return {
        name: head,
        title: line('T') ?? '',
        retitled: line('R'),
        summary: line('D'),
        rewritten: line('X'),
        text: lines.filter((one) => !/^[TRDX]: /.test(one)).join(' '),
      };
    });
}

const PREFIXES = [
  'Reuters: ',
  'UPDATE 1-',
  'BREAKING: ',
  '[Video] ',
  'Exclusive – ',
  'Watch: ',
  '⚡ ',
  'UPDATE 2-',
  'Eilmeldung: ',
  'AFP | ',
];
const SUFFIXES = [
  ' - The Guardian',
  ' | BBC News',
  ' – Le Monde',
  ' · Tagesschau',
  ' (VIDEO)',
  ' - Reuters',
  ' | Общество',
  ' – 朝日新聞',
  ' » Kurier',
];
const TAILS = [
  '<p><a href="{url}">Read more</a></p>',
  ' <a href="{url}">Weiterlesen …</a>',
  '<p>The post <a href="{url}">{title}</a> appeared first on <a href="https://daily.example/">Daily</a>.</p>',
  ' [&#8230;]',
  '…',
  '<p>Subscribe to read the full article.</p>',
  '<p><a href="{url}">Continue reading</a></p><p><a href="{url}#comments">12 comments</a></p>',
  '<img src="https://count.example/p.gif" width="1" height="1">',
];
const HEADS = [
  'By Jane Doe | Nov 25, 2026 | ',
  'Von Max Muster, Berlin. ',
  'LONDON — ',
  '<figure><img src="https://a.example/p.jpg"><figcaption>Photo: Anna Lee / AFP</figcaption></figure>',
  'LONDON, Nov 25 (Reuters) – ',
  '<p><em>Last updated at 14:30</em></p>',
];
const ENDS = [
  ' (Reporting by Jane Doe; Editing by Sam Poe)',
  '<p>© 2026 Daily Media Ltd. All rights reserved.</p>',
  '<p>Follow us on social media and sign up for our newsletter.</p>',
  '<p>dpa/abc</p>',
  '<h3>More on this</h3><ul><li><a href="https://a.example/1">One thing</a></li><li><a href="https://a.example/2">Another</a></li></ul>',
];
const TRACKING = [
  'utm_source=rss&utm_medium=feed',
  'fbclid=IwAR0x',
  'at_medium=RSS&at_campaign=KARANGA',
  'ref=rss',
  'xtor=RSS-16',
  'CMP=Share',
  'ns_campaign=x',
  'gclid=1',
  'source=feed',
];

/** The copies of one story that publishers, agencies and aggregators make. */
function copiesOf(story: Story, other: Story): readonly LabelledPair[] {
  const random = randomOf(story.name);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const sentences = sentencesOf(story.text);
  const id = Math.floor(random() * 1e8) + 1e7;
  const slug = /^[ -~]+$/.test(story.title)
    ? story.title
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '')
    : `a${id}`;
  const path = pick([
    `/2026/11/25/${slug}`,
    `/news/${slug}-${id}`,
    `/article/${id}`,
    `/${slug}.html`,
  ]);
  const home = `https://www.daily-${id % 7}.example`;
  const paragraphs = (all: readonly string[]) => all.map((one) => `<p>${one}</p>`).join('\n');
  const at = () => NOON + Math.floor((random() - 0.5) * 40 * HOUR);
  const original: LabelledArticle = {
    source: `${home}/all`,
    story: story.name,
    title: story.title,
    url: home + path,
    html: paragraphs(sentences),
    publishedSeconds: at(),
  };
  let copies = 0;
  const copy = (changes: Partial<LabelledArticle>): LabelledArticle => {
    copies += 1;
    const host = `https://${pick(['news', 'www', 'blog'])}.paper-${id % 97}-${copies}.example`;
    return {
      ...original,
      url: `${host}/${pick(['a', 'item', 'world'])}/${id + copies}`,
      source: host,
      publishedSeconds: at(),
      ...changes,
    };
  };
  const pairs: LabelledPair[] = [];
  const pair = (kind: string, changes: Partial<LabelledArticle>, first = original) => {
    pairs.push({ kind, a: first, b: copy(changes), isOneStory: true });
  };
  const own = (changes: Partial<LabelledArticle>, section: string): Partial<LabelledArticle> => ({
    url: original.url,
    source: `${home}/${section}`,
    ...changes,
  });
  const beginning = excerptOf(sentences, 2);
  const tail = () =>
    pick(TAILS).replaceAll('{url}', `${home}${path}`).replaceAll('{title}', story.title);

  pair('wire, title prefixed', { title: pick(PREFIXES) + story.title });
  pair('wire, title with publisher', { title: story.title + pick(SUFFIXES) });
  pair(
    'wire, titles of two publishers',
    { title: pick(PREFIXES) + story.title, html: `<p>${beginning}</p>` },
    { ...original, title: story.title + pick(SUFFIXES) },
  );
  pair('wire, title in capitals', { title: story.title.toUpperCase() });
  pair('wire, title typeset otherwise', { title: typeset(story.title) });
  pair('wire, text cut', {
    html: paragraphs(sentences.slice(0, 2)),
    title: pick(['', pick(PREFIXES)]) + story.title,
  });
  pair('wire, title cut', {
    title: cutTitle(story.title),
    html: paragraphs(sentences.slice(0, -1)),
  });
  pair('wire, text added', {
    title: story.title + pick(['', pick(SUFFIXES)]),
    html: paragraphs([
      ...sentences.slice(0, 3),
      ...sentencesOf(other.text).slice(-2),
      ...sentences.slice(3),
    ]),
  });
  pair('wire, words left out', {
    html: paragraphs(sentences.map((one) => withoutWords(one, random))),
  });
  pair('wire, framed', {
    title: story.title.replaceAll("'", '&#39;'),
    html: pick(HEADS) + paragraphs(sentences),
  });
  pair('wire, framed', { html: pick(HEADS) + paragraphs(sentences.slice(0, -1)) + pick(ENDS) });
  pair(
    'wire, framed',
    { html: pick(HEADS) + paragraphs(sentences.slice(0, 2)) },
    { ...original, html: paragraphs(sentences) + pick(ENDS) },
  );
  pair('excerpt', { html: `<p>${beginning}</p>${tail()}` });
  pair('excerpt, title with publisher', {
    html: `${beginning.slice(0, 160)}…`,
    title: story.title + pick(SUFFIXES),
  });
  pair(
    'excerpt of an excerpt',
    { html: `${beginning.slice(0, 90)}…` },
    { ...original, html: `<p>${beginning}</p>` },
  );
  pair('paywall', {
    html: `<p>${sentences[0]}</p><p>${pick(['Subscribe to read the rest of this article. Already a subscriber? Log in.', 'Dieser Artikel ist nur für Abonnenten.', 'La suite est réservée aux abonnés.'])}</p>`,
  });
  pair('headline alone', {
    title: story.title + pick(SUFFIXES),
    html: `<a href="https://news.google.com/rss/articles/CBMi${id}?oc=5">${story.title}</a>&nbsp;&nbsp;<font color="#6f6f6f">Daily</font>`,
    url: `https://news.google.com/rss/articles/CBMi${id}?oc=5`,
  });
  pair('aggregator', {
    title: pick([story.retitled ?? story.title, story.title]),
    html: `&#32; submitted by &#32; <a href="https://www.reddit.com/user/otter"> /u/otter </a> <br/> <span><a href="${home}${path}?${pick(TRACKING)}">[link]</a></span> &#32; <span><a href="https://www.reddit.com/r/news/comments/1x${id}/t/">[comments]</a></span>`,
    url: `https://www.reddit.com/r/news/comments/1x${id}/t/`,
    source: 'reddit',
  });
  pair('aggregator', {
    title: pick([story.retitled ?? story.title, story.title]),
    html: `<p>Article URL: <a href="${home}${path}">${home}${path}</a></p> <p>Comments URL: <a href="https://news.ycombinator.com/item?id=${id}">https://news.ycombinator.com/item?id=${id}</a></p> <p>Points: 61</p> <p># Comments: 17</p>`,
    url: pick([home + path, `https://news.ycombinator.com/item?id=${id}`]),
    source: 'hn',
  });
  pair('aggregator', {
    title: story.retitled ?? 'Worth your time',
    html: `<p>${pick(['Interesting:', 'Via a friend.', ''])} <a href="${home.replace('www', 'm')}${path}">${story.title}</a></p>`,
    url: `https://links.example/${id}`,
    source: 'links',
  });
  pair(
    'sections',
    own({ url: `${home}${path}?${pick(TRACKING)}`, html: `<p>${beginning}</p>` }, 'politics'),
    { ...original, url: `${home}${path}?${pick(TRACKING)}` },
  );
  pair(
    'sections',
    own(
      {
        url: `${home}${path}?${pick(TRACKING)}&${pick(TRACKING)}`,
        title: pick([story.retitled ?? story.title, story.title]),
        html: story.summary ?? beginning,
      },
      'world',
    ),
  );
  pair(
    'sections',
    own({ url: `${home}${path}#${pick(['xtor=RSS-1', 'comments', 'ref=rss'])}` }, 'top'),
  );
  pair(
    'sections, other path',
    own({ url: `${home}/section-b${path}?${pick(TRACKING)}` }, 'section-b'),
    { ...original, url: `${home}/news${path}` },
  );
  const target = encodeURIComponent(home + path);
  for (const url of [
    pick([
      `${home}/amp${path}`,
      `${home}${path}?amp=1`,
      `${home}${path}/amp/`,
      `${home}${path}?outputType=amp`,
    ]),
    pick([
      `https://www.google.com/amp/s/${home.slice(8)}${path}`,
      `https://${home.slice(12).replace('.', '-')}.cdn.ampproject.org/c/s/${home.slice(8)}${path}`,
    ]),
    pick([
      home.replace('www.', 'm.'),
      home.replace('www.', 'mobile.'),
      home.replace('www.', 'amp.'),
      home.replace('https://www.', 'http://'),
    ]) + path,
    pick([
      `https://l.facebook.com/l.php?u=${target}&h=AT`,
      `https://www.google.com/url?rct=j&sa=t&url=${target}&ct=ga`,
    ]),
  ]) {
    pair('AMP, mobile, redirected', {
      url,
      title: pick([story.retitled ?? story.title, story.title]),
      html: pick(['', beginning, story.summary ?? '']),
    });
  }
  pair('repost', own({ url: `${home}/again/${slug}-${id + 1}`, source: original.source }, 'all'));
  pair(
    'repost',
    own(
      {
        url: `${home}${path}?v=${id}`,
        source: original.source,
        title: pick(['UPDATED: ', '']) + story.title,
      },
      'all',
    ),
  );
  pair(
    'live blog moves on',
    own(
      {
        title: `${story.title} – live`,
        html: `<p>14:05 Our reporter has arrived and will answer questions from readers here.</p>${paragraphs(sentences)}`,
      },
      'live',
    ),
  );
  if (story.retitled !== undefined) {
    pair('wire, title rewritten', {
      title: story.retitled,
      html: `<p>${pick(['BERLIN (dpa) - ', 'LONDON, Nov 25 (Reuters) – ', ''])}${story.text}</p>`,
    });
    pair('wire, title rewritten', {
      title: story.retitled,
      html: paragraphs(sentences.slice(0, 3)),
    });
    pair('excerpt, title rewritten', { title: story.retitled, html: `${beginning}${tail()}` });
  }
  if (story.summary !== undefined) {
    pair('summary not in the text', { html: `<p>${story.summary}</p>` });
    pair(
      'summary not in the text',
      { html: story.summary, title: pick(PREFIXES) + story.title },
      { ...original, html: `${beginning}…` },
    );
  }
  if (story.rewritten !== undefined) {
    pair('wire, text rewritten', { html: `<p>${story.rewritten}</p>` });
    pair('wire, text rewritten', {
      html: paragraphs(sentencesOf(story.rewritten)),
      title: pick(PREFIXES) + (story.retitled ?? story.title),
    });
    pair('wire, text rewritten', { html: paragraphs(sentencesOf(story.rewritten).slice(0, 2)) });
  }
  return pairs;
}

/** All pairs within a group of look-alikes: in one feed, and in feeds of two publishers. */
function lookAlikes(file: string): readonly LabelledPair[] {
  return file
    .split(/^## /m)
    .slice(1)
    .flatMap((block, group) => {
      const [head = '', ...lines] = block.trim().split('\n');
      const kind = head.replace(' other', '');
      const articles = lines
        .join('\n')
        .split(/^T: /m)
        .slice(1)
        .map((item, n) => {
          const [title = '', ...html] = item.trim().split('\n');
          const random = randomOf(`${head}${group}${n}${title}`);
          const story = `${kind} ${group} ${n}`;
          const publishedSeconds = NOON + Math.floor((random() - 0.5) * 50 * HOUR);
          return {
            title,
            html: html.join('\n'),
            story,
            publishedSeconds,
            id: Math.floor(random() * 1e7),
          };
        });
      const hosts = head.endsWith(' other') ? [null] : ['https://paper.example', null];
      return hosts.flatMap((host) =>
        articles.flatMap((one, n) =>
          articles.slice(n + 1).map((other) => {
            const placed = ({ id, ...article }: typeof one): LabelledArticle => {
              const source = host ?? `https://paper-${id}.example`;
              return { ...article, source, url: `${source}/${kind.replace(/\W/g, '')}/${id}` };
            };
            return {
              kind: `look-alikes: ${kind}`,
              a: placed(one),
              b: placed(other),
              isOneStory: false,
            };
          }),
        ),
      );
    });
}

/** Pairs of one story (`+`) and of two (`-`): titles, addresses, hours later, bodies. */
function pairsByHand(file: URL): readonly LabelledPair[] {
  const blocks = existsSync(file) ? readFileSync(file, 'utf8').split(/^(?=[+-] )/m) : [];
  return blocks.map((block, n) => {
    const [head = '', ...lines] = block.trim().split('\n');
    const [a, b] = lines
      .join('\n')
      .split(/^T: /m)
      .slice(1)
      .map((written, side): LabelledArticle => {
        const [title = '', ...rest] = written.split('\n');
        const line = (mark: string) => rest.find((one) => one.startsWith(`${mark}: `))?.slice(3);
        return {
          title: title.trim(),
          url: line('U') ?? `https://site-${n}-${side}.example/x/${10_000 + n}`,
          html: rest.filter((one) => !/^[UH]: /.test(one)).join('\n'),
          publishedSeconds: NOON + Number(line('H') ?? 0) * HOUR,
          source: head.endsWith('(one feed)') ? `by hand ${n}` : `by hand ${n} ${side}`,
          story: head.startsWith('+') ? `by hand ${n}` : `by hand ${n} ${side}`,
        };
      });
    if (a === undefined || b === undefined) {
      throw new Error(`${head} is no pair`);
    }
    return {
      kind: `by hand, ${head.startsWith('+') ? 'one story' : 'two stories'}`,
      a,
      b,
      isOneStory: head.startsWith('+'),
    };
  });
}

/** Stories that follow each other in the file. */
function strangers(stories: readonly Story[]): readonly LabelledPair[] {
  return stories.slice(1).map((story, n) => {
    const article = ({ name, title, text }: Story, id: number): LabelledArticle => ({
      story: name,
      title,
      html: text,
      source: `s${id}`,
      url: `https://s${id}.example/n/${1000 + n}`,
      publishedSeconds: NOON,
    });
    return {
      kind: 'strangers',
      a: article(stories[n] ?? story, 1),
      b: article(story, 2),
      isOneStory: false,
    };
  });
}

/** Parted behind full stops that a space or nothing follows, and those of scripts without spaces. */
const sentencesOf = (text: string): readonly string[] =>
  text.split(/(?<=[.!?][”"»]?) +|(?<=[。।])/).filter((one) => one !== '');

const excerptOf = (sentences: readonly string[], most: number): string =>
  sentences.slice(0, most).join(' ');

function cutTitle(title: string): string {
  const words = title.split(' ');
  return words.length < 4
    ? `${title.slice(0, Math.ceil(title.length * 0.75))}…`
    : `${words.slice(0, Math.ceil(words.length * 0.7)).join(' ')}…`;
}

const typeset = (title: string): string =>
  `“${title.replaceAll(' - ', ' – ').replaceAll("'", '’').replace(' ', '\u00a0')}”`;

function withoutWords(sentence: string, random: () => number): string {
  return sentence
    .split(' ')
    .filter(() => random() > 0.04)
    .join(' ');
}

function randomOf(seed: string): () => number {
  let state = [...seed].reduce(
    (hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0,
    0x811c9dc5,
  );
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
