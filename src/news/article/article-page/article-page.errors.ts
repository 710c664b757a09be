import { invalid, tooMany } from '../../../common/errors/domain-error.js';

export class NoArticlePage extends invalid('This article has no web page.') {}

/** The page could not be fetched, or has no article; the message is the reason. */
export class ArticlePageUnreadable extends invalid() {}

export class TooManyArticlePages extends tooMany(
  (most: number, retryAfterSeconds: number) =>
    `You had ${most} full texts fetched within an hour; try again in ${Math.ceil(retryAfterSeconds / 60)} min.`,
  (_most, retryAfterSeconds) => ({ retryAfterSeconds }),
) {}

/** Too many pages of the process, or of one host, are being read. */
export class ArticlePagesBusy extends tooMany(
  'Too many web pages are being read. Try again in a moment.',
  { retryAfterSeconds: 10 },
) {}
