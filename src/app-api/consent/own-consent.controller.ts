import { Get, Post } from '../../common/contracts/routes.js';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { CurrentUser } from '../../common/http/current-user.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import type { Account } from '../../common/ports/user-directory.js';
import { ActingUserGuard } from '../apps/access/acting-user.guard.js';
import { OcsGatewayController } from '../apps/access/ocs-gateway-controller.decorator.js';
import { ConsentsService } from './consents.service.js';
import { ConsentStateAnswer } from './consent.wire.js';

/** For apps: whether the acting user allows them to use the feed reader. */
@OcsGatewayController('apps/app_api/api/v1/consent/news', ActingUserGuard)
export class OwnConsentController {
  constructor(private readonly consents: ConsentsService) {}

  /** Does not ask the user. */
  @Get('', 'Tells an app whether the user allows it the feed reader.', ConsentStateAnswer)
  async show(
    @CallingExApp() { appId }: CallingApp,
    @CurrentUser() { userId }: Account,
  ): Promise<object> {
    return { state: await this.consents.stateOf(appId, userId) };
  }

  @Post('', 'Asks the user for the feed reader.', ConsentStateAnswer)
  async ask(
    @CallingExApp() { appId }: CallingApp,
    @CurrentUser() { userId }: Account,
  ): Promise<object> {
    return { state: await this.consents.ask(appId, userId) };
  }
}
