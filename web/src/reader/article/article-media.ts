import type { Article } from '../model/entry.js';
import { isOfOwnOrigin } from './article-html.js';
import type { ArticleExtras, Medium } from './extras-api.js';
import { playerOf } from './players.js';

/** The files of an article that neither its text nor its head show. */
export interface ShownMedia {
  readonly pictures: readonly Medium[];
  readonly files: readonly Medium[];
  /** Address of the article's own video, which plays in a frame. */
  readonly video: string | null;
}

export function shownMedia(article: Article, extras: ArticleExtras): ShownMedia {
  const { enclosureLink, enclosureMime } = article;
  const known: readonly Medium[] =
    extras.media.length > 0 || enclosureLink === null
      ? extras.media
      : [asMedium(enclosureLink, enclosureMime ?? '')];
  const media = known.filter(({ url }) => !isOfOwnOrigin(url));
  const pictures = media.filter(({ kind }) => kind === 'image');
  const players = media.filter(({ kind }) => kind === 'other').map(({ url }) => url);
  const video = [article.url ?? '', ...players].find((url) => playerOf(url) !== null) ?? null;
  const ownPlayer = video === null ? undefined : playerOf(video)?.src;
  const cover = video === null ? coverOf(article) : null;
  return {
    pictures: (pictures.length === 0 && cover !== null ? [cover] : pictures).filter(
      ({ url }) => !holdsPicture(article.body, url),
    ),
    files: media.filter(
      ({ kind, url }) =>
        kind !== 'image' &&
        !(article.media !== null && url === enclosureLink) &&
        (kind !== 'other' || ownPlayer === undefined || playerOf(url)?.src !== ownPlayer),
    ),
    video,
  };
}

/** The picture of an article whose text has none. Not for a video: its site would see the reader. */
function coverOf({ thumbnail, body, media }: Article): Medium | null {
  return thumbnail === null || media !== null || /<(?:img|picture|video)\b/i.test(body)
    ? null
    : asMedium(thumbnail, 'image/*');
}

function asMedium(url: string, mime: string): Medium {
  const kind = /^(audio|video|image)\//.exec(mime)?.[1] ?? 'other';
  return { url, mime, kind: kind as Medium['kind'], title: null, length: null, thumbnail: null };
}

/** Whether a text shows a picture, perhaps in another size: `photo.jpg`, `photo-300x200.jpg?w=300`. */
function holdsPicture(html: string, url: string): boolean {
  const name = nameOf(url).replace(/\.[a-z]{3,4}$/i, '');
  const stem = name.replace(/-\d{2,4}x\d{2,4}$/, '');
  return stem.length > 3 && html.includes('<img') && html.includes(stem);
}

/** The last part of an address, for people. */
export function nameOf(url: string): string {
  const { pathname, hostname } = new URL(url);
  const last = pathname.split('/').findLast((part) => part !== '') ?? hostname;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
