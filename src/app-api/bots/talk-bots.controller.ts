import type { z } from 'zod';
import { Delete, Post } from '../../common/contracts/routes.js';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { OcsGatewayController } from '../apps/access/ocs-gateway-controller.decorator.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { TalkBotsService } from './talk-bots.service.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { NewTalkBot, TalkBotRoute } from './talk-bot.input.js';
import { RegisteredBotAnswer } from './talk-bot.wire.js';

/** Registers chat bots. There is no route to read one back: registering it returns id and secret. */
@OcsGatewayController('apps/app_api/api/v1/talk_bot')
export class TalkBotsController {
  constructor(private readonly bots: TalkBotsService) {}

  @Post('', 'Registers a chat bot.', RegisteredBotAnswer)
  async register(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(NewTalkBot) bot: z.output<typeof NewTalkBot>,
  ) {
    return this.bots.register(appId, bot);
  }

  @Delete('', 'Unregisters a chat bot.', 'nothing')
  async unregister(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(TalkBotRoute) { route }: z.output<typeof TalkBotRoute>,
  ): Promise<void> {
    await this.bots.unregister(appId, route);
  }
}
