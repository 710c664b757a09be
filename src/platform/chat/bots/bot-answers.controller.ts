import {
  createParamDecorator,
  Injectable,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request } from 'express';
import { Delete, Post } from '../../../common/contracts/routes.js';
import { inputBodiesOf } from '../../../common/http/input-bodies.js';
import { Input, type In, gatherInput } from '../../../common/http/input.decorator.js';
import { OcsSuccess } from '../../../common/ocs/envelope.js';
import { OcsController } from '../../../common/ocs/ocs-controller.decorator.js';
import type { ChatBot } from '../../../common/ports/chat-bots.js';
import { BotNotVerified } from '../chat.errors.js';
import { ReactionOf } from '../chat.input.js';
import { NewChatMessage, readMessageText } from '../conversations/messages/messages.input.js';
import { MessagesService } from '../conversations/messages/messages.service.js';
import { ReactionsService } from '../conversations/reactions/reactions.service.js';
import { BotsService } from './bots.service.js';

/** The longest message, with every character escaped in JSON. */
const MAX_BODY_BYTES = 256 * 1024;

interface BotRequest extends Request {
  chatBot?: ChatBot;
}

/** Authenticates a bot of the conversation by its signature over the message or the emoji. */
@Injectable()
class SignedBotGuard implements CanActivate {
  constructor(private readonly bots: BotsService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<BotRequest>();
    // The signature covers the body, so the body is read before authentication.
    await inputBodiesOf(request).read(request, { largestAnonymousBytes: MAX_BODY_BYTES });
    const { token, message, reaction } = gatherInput(request);
    // Signed is only the parameter of the route, not the rest of the body.
    const text = request.params['messageId'] === undefined ? message : reaction;
    const signature = {
      random: request.get('x-nextcloud-talk-bot-random') ?? '',
      signature: request.get('x-nextcloud-talk-bot-signature') ?? '',
    };
    if (typeof token !== 'string' || typeof text !== 'string' || signature.random === '') {
      throw new BotNotVerified();
    }
    request.chatBot = await this.bots.verify(token, text, signature, request.ip ?? '');
    return true;
  }
}

/** Injects the bot that `SignedBotGuard` has authenticated. */
const SignedBot = createParamDecorator(
  (_data: unknown, context: ExecutionContext): ChatBot | undefined =>
    context.switchToHttp().getRequest<BotRequest>().chatBot,
);

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
  ) {
    await this.messages.sendAsBot(bot, token, { ...more, text: readMessageText(message) });
    return new OcsSuccess(201, []);
  }

  @Post('reaction/:messageId', 'Reacts to a message as a bot.', 'nothing', { also: [201] })
  async react(
    @SignedBot() bot: ChatBot,
    @Input(ReactionOf) { token, messageId, reaction }: In<typeof ReactionOf>,
  ) {
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
