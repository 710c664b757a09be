import { DomainError, errorOf } from '../../../common/errors/domain-error.js';

export class NoArticlePage extends errorOf('invalid', 'This article has no web page.') {}

/** The page could not be fetched, or has no article; the message is the reason. */
export class ArticlePageUnreadable extends DomainError {
  readonly kind = 'invalid';
}

export class TooManyArticlePages extends DomainError {
  readonly kind = 'too-many';

  constructor(
    most: number,
    override readonly retryAfterSeconds: number,
  ) {
    const minutes = Math.ceil(retryAfterSeconds / 60);
    super(`You had ${most} full texts fetched within an hour; try again in ${minutes} min.`);
  }
}

/** Too many pages of the process, or of one host, are being read. */
export class ArticlePagesBusy extends errorOf(
  'too-many',
  'Too many web pages are being read. Try again in a moment.',
  { retryAfterSeconds: 10 },
) {}
