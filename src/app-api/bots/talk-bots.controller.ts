import { z } from 'zod';
import { CallingExApp } from '../../common/auth/calling-app.decorator.js';
import { Delete, Post } from '../../common/contracts/routes.js';
import type { In } from '../../common/http/input.decorator.js';
import { orElse } from '../../common/http/loose-inputs.js';
import type { CallingApp } from '../../common/ports/app-credentials.js';
import { printable } from '../../common/texts/printable.js';
import { OcsGatewayController } from '../apps/access/ocs-gateway-controller.decorator.js';
import { name, text } from '../field-schemas.js';
import { GatewayInput } from '../gateway-input.decorator.js';
import { TalkBotsService } from './talk-bots.service.js';

const RegisteredBotAnswer = z.object({ id: z.string(), secret: z.string() });

const TalkBotRoute = z.object({ route: name(410) });

export const NewTalkBot = z.object({
  name: name(64).refine((value) => printable(value) === value, {
    error: 'must not contain characters that reverse text',
  }),
  // Not normalized: the bot's id depends on whether the app writes a leading slash.
  route: name(410),
  description: orElse(text(4000), ''),
});

/** Registers chat bots. The answer has id and secret; no route reads them back. */
@OcsGatewayController('apps/app_api/api/v1/talk_bot')
export class TalkBotsController {
  constructor(private readonly bots: TalkBotsService) {}

  @Post('', 'Registers a chat bot.', RegisteredBotAnswer)
  async register(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(NewTalkBot) bot: In<typeof NewTalkBot>,
  ) {
    return this.bots.register(appId, bot);
  }

  @Delete('', 'Unregisters a chat bot.', 'nothing')
  async unregister(
    @CallingExApp() { appId }: CallingApp,
    @GatewayInput(TalkBotRoute) { route }: In<typeof TalkBotRoute>,
  ): Promise<void> {
    await this.bots.unregister(appId, route);
  }
}
