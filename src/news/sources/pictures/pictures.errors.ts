import { DomainError, errorOf } from '../../../common/errors/domain-error.js';

/** For unknown, unsigned and unreadable pictures alike. */
export class PictureNotFound extends errorOf(
  'not-found',
  (why: string) => `There is no such picture: ${why}.`,
) {}

export class PicturesNotServed extends errorOf(
  'not-found',
  'This installation does not serve pictures of articles; see GATEFOLD_PICTURES.',
) {}

export class TooManyPictures extends DomainError {
  readonly kind = 'too-many';

  constructor(override readonly retryAfterSeconds: number) {
    super('Too many pictures were asked for. Try again later.');
  }
}
