import { NotFoundException, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { Get } from '../../../common/contracts/routes.js';
import { OpenGoogleReaderController } from '../http/google-reader-controller.decorator.js';
import { FeedIcons, ICONS_PATH } from './feed-icons.service.js';

const ONE_YEAR_SECONDS = 31_536_000;

/** Public, by signed addresses, which `subscription/list` contains. */
@OpenGoogleReaderController([ICONS_PATH])
export class FeedIconsController {
  constructor(private readonly icons: FeedIcons) {}

  @Get(':iconId/:signature', 'Sends the icon of a feed.', new Media('image/*', 'The icon.'))
  async show(
    @Param('iconId') iconId: string,
    @Param('signature') signature: string,
    @Res() response: Response,
  ): Promise<void> {
    const icon = await this.icons.find(iconId, signature);
    if (icon === null) {
      throw new NotFoundException('There is no such icon.');
    }
    // The bytes come from a publisher: they must never be rendered as a document.
    response
      .status(200)
      .set({
        'Content-Type': icon.mime,
        'Content-Disposition': 'attachment; filename="icon"',
        'Content-Security-Policy': "sandbox; default-src 'none'",
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': `public, max-age=${ONE_YEAR_SECONDS}, immutable`,
        // Clients in browsers show it in pages of other origins.
        'Cross-Origin-Resource-Policy': 'cross-origin',
      })
      .end(icon.bytes);
  }
}
