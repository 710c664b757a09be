import { Delete, Post } from '../../../common/contracts/routes.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { OcsSuccess } from '../../../common/ocs/envelope.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { ChatBot } from '../../../common/ports/chat-bots.js';
import { NewChatMessage, readMessageText } from '../conversations/messages/messages.input.js';
import { MessagesService } from '../conversations/messages/messages.service.js';
import { ReactionOf } from '../conversations/reactions/reactions.input.js';
import { ReactionsService } from '../conversations/reactions/reactions.service.js';
import { SignedBot, SignedBotGuard } from './signed-bot.guard.js';

/** Messages and reactions of bots, authenticated by a signature over the text. */
@OcsController('apps/spreed/api/v1/bot/:token', { guards: [SignedBotGuard] })
export class BotAnswersController {
  constructor(
    private readonly messages: MessagesService,
    private readonly reactions: ReactionsService,
  ) {}

  @Post('message', 'Sends a message as a bot.', 'nothing', { also: [201] })
  async send(
    @SignedBot() bot: ChatBot,
    @Input(NewChatMessage) { token, message, ...more }: In<typeof NewChatMessage>,
  ): Promise<OcsSuccess> {
    await this.messages.sendAsBot(bot, token, { ...more, text: readMessageText(message) });
    return new OcsSuccess(201, []);
  }

  @Post('reaction/:messageId', 'Reacts to a message as a bot.', 'nothing', { also: [201] })
  async react(
    @SignedBot() bot: ChatBot,
    @Input(ReactionOf) { token, messageId, reaction }: In<typeof ReactionOf>,
  ): Promise<OcsSuccess | undefined> {
    const isNew = await this.reactions.addAsBot(bot, token, messageId, reaction);
    return isNew ? new OcsSuccess(201, []) : undefined;
  }

  @Delete('reaction/:messageId', 'Takes a reaction of a bot back.', 'nothing')
  async takeBack(
    @SignedBot() bot: ChatBot,
    @Input(ReactionOf) { token, messageId, reaction }: In<typeof ReactionOf>,
  ): Promise<void> {
    await this.reactions.removeAsBot(bot, token, messageId, reaction);
  }
}
