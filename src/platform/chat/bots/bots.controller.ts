import { UseGuards } from '@nestjs/common';
import { Delete, Get, Post } from '../../../common/contracts/routes.js';
import { AdminGuard } from '../../../common/auth/admin.guard.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { OcsSuccess } from '../../../common/ocs/envelope.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { ConversationPath } from '../chat.input.js';
import { BotPath } from './bots.input.js';
import { BotsService } from './bots.service.js';
import {
  toBotChoiceJson,
  toInstalledBotJson,
  InstalledBotsAnswer,
  BotChoicesAnswer,
} from './bots.wire.js';

/** Lists bots, and enables them in conversations. */
@OcsController('apps/spreed/api/v1/bot')
export class BotsController {
  constructor(
    private readonly bots: BotsService,
    private readonly publicAddress: PublicAddress,
  ) {}

  @Get('admin', 'Lists all bots.', InstalledBotsAnswer)
  @UseGuards(AdminGuard)
  async listInstalled() {
    const { root } = this.publicAddress;
    return (await this.bots.installed()).map((bot) => toInstalledBotJson(bot, root));
  }

  @Get(':token', 'Lists the bots for a conversation.', BotChoicesAnswer)
  async list(
    @CurrentUser() user: Account,
    @Input(ConversationPath) { token }: In<typeof ConversationPath>,
  ) {
    return (await this.bots.choices(user.userId, token)).map(toBotChoiceJson);
  }

  @Post(':token/:botId', 'Enables a bot in a conversation.', 'nothing', { also: [201] })
  async enable(
    @CurrentUser() user: Account,
    @Input(BotPath) { token, botId }: In<typeof BotPath>,
  ): Promise<OcsSuccess | undefined> {
    const isNew = await this.bots.enable(user, token, botId);
    return isNew ? new OcsSuccess(201, []) : undefined;
  }

  @Delete(':token/:botId', 'Disables a bot in a conversation.', 'nothing')
  async disable(
    @CurrentUser() user: Account,
    @Input(BotPath) { token, botId }: In<typeof BotPath>,
  ): Promise<void> {
    await this.bots.disable(user, token, botId);
  }
}
