import { Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { Get } from '../../../common/contracts/routes.js';
import { DAY_SECONDS } from '../../../common/units.js';
import { NewsController, V1_3 } from '../../http/levels.guard.js';
import { FaviconsService } from '../../sources/favicons/favicons.service.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';

/**
 * The icon of a feed by the MD5 of its address.
 *
 * @see docs/spec/feed-reader-api.md "Favicon"
 */
@NewsController(V1_3, 'favicon')
export class FaviconV13Controller {
  constructor(private readonly favicons: FaviconsService) {}

  @Get(
    ':feedUrlHash',
    'Sends the icon of a feed, by the MD5 of its address.',
    new Media('image/*', 'The icon.'),
  )
  async show(
    @CurrentReader() reader: Reader,
    @Param('feedUrlHash') feedUrlHash: string,
    @Res() response: Response,
  ): Promise<void> {
    const { mime, bytes } = await this.favicons.find(reader.id, feedUrlHash.toLowerCase());
    // The bytes come from a publisher: they must never be rendered as a document.
    response
      .status(200)
      .set({
        'Content-Type': mime,
        'Content-Disposition': `attachment; filename="${encodeURIComponent(feedUrlHash)}"`,
        'Content-Security-Policy': "sandbox; default-src 'none'",
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': `private, max-age=${DAY_SECONDS}`,
      })
      .end(bytes);
  }
}
