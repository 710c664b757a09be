import { Controller, Header } from '@nestjs/common';
import { z } from 'zod';
import { PublicAddress } from '../../../common/config/public-address.js';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { Get } from '../../../common/contracts/routes.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { CurrentUser, Public } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import { UiContributionsOffer } from '../../../common/ports/ui-contributions.js';
import type { Account } from '../../../common/ports/user-directory.js';

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
  appIcon() {
    return APP_ICON;
  }
}

const NavigationAnswer = z.array(
  z.object({
    id: z.string(),
    app: z.string(),
    order: z.int(),
    href: z.string(),
    icon: z.string(),
    type: z.string(),
    name: z.string(),
    active: z.boolean(),
    classes: z.string(),
    unread: z.int(),
  }),
);

const NavigationRequest = z.object({
  absolute: z
    .unknown()
    .transform((value) => ['true', '1'].includes(String(value)))
    .optional(),
});

/** Order of external apps' entries, after the host's own. */
const FIRST_APP_ORDER = 100;

/** The top menu, for clients that render it themselves. */
@OcsController('core/navigation')
export class NavigationController {
  constructor(
    private readonly contributions: UiContributionsOffer,
    private readonly address: PublicAddress,
  ) {}

  @InTurn()
  @Get('apps', 'Lists the entries of the top menu.', NavigationAnswer)
  async apps(
    @CurrentUser() account: Account,
    @Input(NavigationRequest) { absolute = false }: In<typeof NavigationRequest>,
  ) {
    const prefix = absolute ? this.address.root : this.address.path;
    const entries = (await this.contributions.service?.menuFor(account)) ?? [];
    return entries.map(({ id, appId, displayName, path, iconPath }, index) => ({
      id,
      app: appId,
      order: FIRST_APP_ORDER + index,
      href: prefix + path,
      icon: prefix + (iconPath ?? APP_ICON_PATH),
      type: 'link',
      name: displayName,
      active: false,
      classes: '',
      unread: 0,
    }));
  }
}
