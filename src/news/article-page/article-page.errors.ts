import { DomainError } from '../../common/errors/domain-error.js';

export class NoArticlePage extends DomainError {
  readonly kind = 'invalid';

  constructor() {
    super('This article has no web page.');
  }
}

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
export class ArticlePagesBusy extends DomainError {
  readonly kind = 'too-many';
  override readonly retryAfterSeconds = 10;

  constructor() {
    super('Too many web pages are being read. Try again in a moment.');
  }
}
