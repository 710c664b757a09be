import { Controller, Get, Header } from '@nestjs/common';
import { PublicAddress } from '../../common/config/public-address.js';
import { Public } from '../../common/http/current-user.decorator.js';

/** The web app manifest. Browsers fetch it without credentials. */
@Controller()
@Public()
export class WebAppController {
  constructor(private readonly address: PublicAddress) {}

  @Get('/manifest.webmanifest')
  @Header('Content-Type', 'application/manifest+json')
  @Header('Cache-Control', 'public, max-age=86400')
  manifest() {
    const root = this.address.path;
    return {
      id: `${root}/`,
      name: 'Gatefold',
      short_name: 'Gatefold',
      start_url: `${root}/apps/news/`,
      scope: `${root}/`,
      display: 'standalone',
      // Both open the reader's dialog to add a feed; nothing is followed without a click there.
      share_target: {
        action: `${root}/apps/news/`,
        method: 'GET',
        enctype: 'application/x-www-form-urlencoded',
        params: { title: 'share_title', text: 'share_text', url: 'subscribe_to' },
      },
      protocol_handlers: [{ protocol: 'web+feed', url: `${root}/apps/news/?subscribe_to=%s` }],
      background_color: '#f4f5f8',
      theme_color: '#232b45',
      icons: [
        { src: `${root}/icon.svg`, type: 'image/svg+xml', sizes: 'any' },
        { src: `${root}/icon-192.png`, type: 'image/png', sizes: '192x192' },
        { src: `${root}/icon-512.png`, type: 'image/png', sizes: '512x512' },
      ],
    };
  }
}
