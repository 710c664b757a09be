import { Controller, Header } from '@nestjs/common';
import { Get } from '../../../common/contracts/routes.js';
import { Public } from '../../../common/http/current-user.decorator.js';
import { Media } from '../../../common/contracts/operation.decorator.js';

/** Default icon of apps. */
export const APP_ICON_PATH = '/core/img/app.svg';

const APP_ICON = `<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32" viewBox="0 0 32 32">
<path fill="#777" d="M5 5h9v9H5zm13 0h9v9h-9zM5 18h9v9H5zm17.5 0v3.5H26v2h-3.5V27h-2v-3.5H17v-2h3.5V18z"/>
</svg>
`;

/** Static icons. */
@Controller()
@Public()
export class IconsController {
  @Get(
    APP_ICON_PATH,
    'Sends the icon of apps without one.',
    new Media('image/svg+xml', 'The icon.'),
  )
  @Header('Content-Type', 'image/svg+xml')
  @Header('Cache-Control', 'public, max-age=86400')
  appIcon(): string {
    return APP_ICON;
  }
}
