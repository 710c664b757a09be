import { DomainError } from '../../common/errors/domain-error.js';

/** For unknown, unsigned and unreadable pictures alike. */
export class PictureNotFound extends DomainError {
  readonly kind = 'not-found';

  constructor(why: string) {
    super(`There is no such picture: ${why}.`);
  }
}

export class PicturesNotServed extends DomainError {
  readonly kind = 'not-found';

  constructor() {
    super('This installation does not serve pictures of articles; see GATEFOLD_PICTURES.');
  }
}

export class TooManyPictures extends DomainError {
  readonly kind = 'too-many';

  constructor(override readonly retryAfterSeconds: number) {
    super('Too many pictures were asked for. Try again later.');
  }
}
