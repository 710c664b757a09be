import { notFound, tooMany } from '../../../common/errors/domain-error.js';

/** For unknown, unsigned and unreadable pictures alike. */
export class PictureNotFound extends notFound(
  (why: string) => `There is no such picture: ${why}.`,
) {}

export class PicturesNotServed extends notFound(
  'This installation does not serve pictures of articles; see GATEFOLD_PICTURES.',
) {}

export class TooManyPictures extends tooMany(
  'Too many pictures were asked for. Try again later.',
  (retryAfterSeconds: number) => ({ retryAfterSeconds }),
) {}
