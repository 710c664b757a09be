import { z } from 'zod';
import { Get } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import { UiContributionsOffer } from '../../../common/ports/ui-contributions.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { APP_ICON_PATH } from './icons.controller.js';
import { NavigationAnswer } from './navigation.wire.js';

const NavigationRequest = z.object({
  absolute: z
    .unknown()
    .transform((value) => ['true', '1'].includes(String(value)))
    .optional(),
});

/** Entries of external apps come after those of the host itself. */
const FIRST_APP_ORDER = 100;

/** The top menu, for clients that render it themselves. */
@OcsController('core/navigation')
export class NavigationController {
  constructor(
    private readonly contributions: UiContributionsOffer,
    private readonly address: PublicAddress,
  ) {}

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
