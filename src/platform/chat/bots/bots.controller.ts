import { UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { AdminGuard } from '../../../common/auth/admin.guard.js';
import { PublicAddress } from '../../../common/config/public-address.js';
import { Delete, Get, Post } from '../../../common/contracts/routes.js';
import { CurrentUser } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { OcsSuccess } from '../../../common/ocs/envelope.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../common/ports/user-directory.js';
import { ConversationPath, integer } from '../chat.input.js';
import { botActorId } from '../conversations/model/message.js';
import { BotsService, type BotChoice, type InstalledBot } from './bots.service.js';

/** Receives messages (1), may answer (2), receives reactions (8). */
const BOT_FEATURES = 1 + 2 + 8;

const InstalledBotsAnswer = z.array(
  z.object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    url: z.string(),
    url_hash: z.string(),
    state: z.int(),
    features: z.int(),
    error_count: z.int(),
    last_error_date: z.int().nullable(),
    last_error_message: z.string().nullable(),
  }),
);

const BotChoicesAnswer = z.array(
  z.object({ id: z.int(), name: z.string(), description: z.string(), state: z.int() }),
);

const LARGEST_INT = 2 ** 31 - 1;
const BotPath = ConversationPath.extend({
  botId: integer.transform((id) => Math.min(id, LARGEST_INT)),
});

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
  async enable(@CurrentUser() user: Account, @Input(BotPath) { token, botId }: In<typeof BotPath>) {
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

function toBotChoiceJson({ bot: { id, name, description }, enabled }: BotChoice) {
  return { id, name, description, state: enabled ? 1 : 0 };
}

/** @param prefix public address of the installation */
function toInstalledBotJson(bot: InstalledBot, prefix: string) {
  return {
    id: bot.id,
    name: bot.name,
    description: bot.description,
    // Apps find their bots by the end of the URL, which is the route they registered.
    url: `${prefix}/ocs/v2.php/apps/app_api/api/v1/talk_proxy/${bot.appId}/${bot.route.replace(/^\//, '')}`,
    url_hash: botActorId(bot.botId),
    state: 1,
    features: BOT_FEATURES,
    error_count: bot.errorCount,
    last_error_date: bot.lastErrorSeconds,
    last_error_message: bot.lastError === '' ? null : bot.lastError,
  };
}
