import { Subject } from '../../common/subjects/subject.js';
import { ThrottleModule } from '../../platform/sign-in/throttle/throttle.module.js';
import { AppsModule } from '../apps/apps.module.js';
import { RegistrationsModule } from '../capabilities/capabilities.module.js';
import { AppValuesModule } from '../values/values.module.js';
import { TalkBotWebhooksService } from './talk-bot-webhooks.service.js';
import { TalkBotsController } from './talk-bots.controller.js';
import { TalkBotsService } from './talk-bots.service.js';
import { TalkProxyController } from './talk-proxy.controller.js';

/** Chat bots of external apps. */
@Subject({
  imports: [AppValuesModule, AppsModule, RegistrationsModule, ThrottleModule],
  controllers: [TalkBotsController, TalkProxyController],
  providers: [TalkBotsService, TalkBotWebhooksService],
  exports: [TalkBotsService],
  edgeRules: [
    // Signatures of chat servers are over the bytes of the body.
    { path: /^(?:\/ocs\/v[12]\.php)?\/apps\/app_api\/api\/v1\/talk_proxy\//i, rawBody: true },
  ],
})
export class TalkBotsModule {}
