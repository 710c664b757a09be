import { Controller, Get, Header } from '@nestjs/common';
import { Config } from '../../common/config/config.js';
import { PublicAddress } from '../../common/config/public-address.js';
import { Public } from '../../common/http/current-user.decorator.js';

/** The web app manifest. Browsers fetch it without credentials. */
@Controller()
@Public()
export class WebAppController {
  constructor(
    private readonly address: PublicAddress,
    private readonly config: Config,
  ) {}

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
      // Both open a page of the reader; nothing is saved or followed without a click there.
      share_target: {
        method: 'GET',
        enctype: 'application/x-www-form-urlencoded',
        ...(this.config.parts.has('saved-pages')
          ? {
              action: `${root}/apps/news/save`,
              params: { title: 'title', text: 'text', url: 'url' },
            }
          : {
              action: `${root}/apps/news/`,
              params: { title: 'share_title', text: 'share_text', url: 'subscribe_to' },
            }),
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
