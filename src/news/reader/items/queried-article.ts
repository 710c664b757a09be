import { selectList, type RowOf } from '../../../database/select-list.js';
import { textOfHtml } from '../../feed-parser/html/plain-text.js';
import type { ArticleExtras } from '../../feed-parser/items/extras.js';
import type { QueriedArticle } from '../../query/query.js';
import { ArticleEntity } from '../../tables/article.entity.js';

/** What queries ask of an article besides its body. */
export const QUERIED_COLUMNS = selectList(ArticleEntity, 'article', [
  'title',
  'url',
  'author',
  'enclosureMime',
  'mediaThumbnail',
  'extras',
]);

type ArticleRow = RowOf<typeof QUERIED_COLUMNS>;

/** What queries ask of a user's view of an article. */
type View = Pick<
  QueriedArticle,
  'feedId' | 'folderId' | 'labelIds' | 'publishedSeconds' | 'arrivedSeconds'
> &
  Pick<QueriedArticle['states'], 'unread' | 'starred' | 'filtered' | 'duplicate' | 'highlighted'>;

/** Characters of a text in which queries look, for searches, their index and rules alike. */
export const QUERIED_CHARACTERS = 200_000;

export function queriedText(html: string): string {
  return textOfHtml(html).slice(0, QUERIED_CHARACTERS);
}

/** Categories of an article, as its publisher names them. */
export const categoriesOf = (extras: ArticleExtras | null): readonly string[] => extras?.tags ?? [];

/** @param text called when a query looks into the body */
export function toQueriedArticle(
  { title, url, author, enclosureMime, mediaThumbnail, extras }: ArticleRow,
  { unread, starred, filtered, duplicate, highlighted, ...view }: View,
  text: () => string,
): QueriedArticle {
  const media = extras?.media ?? [];
  const has = (kind: 'audio' | 'video' | 'image') =>
    media.some((one) => one.kind === kind) || enclosureMime?.startsWith(`${kind}/`) === true;
  // Pages of players, which the feeds of video platforms name.
  const video = has('video') || media.some(({ mime, kind }) => kind === 'other' && isPage(mime));
  const labelled = view.labelIds.length > 0;
  return {
    ...view,
    title,
    url,
    author,
    categories: categoriesOf(extras),
    text,
    states: { unread, read: !unread, starred, filtered, duplicate, labelled, highlighted },
    parts: {
      audio: has('audio'),
      video,
      picture: has('image') || mediaThumbnail !== null,
      media: has('audio') || video,
      comments: (extras?.comments ?? null) !== null,
      author: author !== null && author !== '',
      label: labelled,
    },
    durationSeconds: extras?.durationSeconds ?? null,
    answerTo: () => null,
  };
}

const isPage = (mime: string | null) => mime === 'text/html';
