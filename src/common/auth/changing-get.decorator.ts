import { SetMetadata } from '@nestjs/common';

export const CHANGING_GET = 'gatefold:changing-get';

/**
 * Marks a GET with side effects, as the protocols require. Any page can trigger it by an image or
 * link, so sessions need the same CSRF proof as for a POST, and remembered Basic credentials are
 * rejected from images and links.
 */
export const ChangingGet = (): MethodDecorator => SetMetadata(CHANGING_GET, true);
