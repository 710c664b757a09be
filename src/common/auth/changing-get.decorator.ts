import { SetMetadata } from '@nestjs/common';

export const CHANGING_GET = 'gatefold:changing-get';

/**
 * A GET that changes or fetches something, as the protocols want it. Any page can have a browser send
 * it, as a picture or a link, so a session needs the same proof for it as for a POST, and a password
 * that the browser remembers is not taken from a picture or a link.
 */
export const ChangingGet = (): MethodDecorator => SetMetadata(CHANGING_GET, true);
