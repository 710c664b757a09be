import {
  createParamDecorator,
  Injectable,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request } from 'express';
import { inputBodiesOf } from '../../../common/http/input-bodies.js';
import { gatherInput } from '../../../common/http/input.decorator.js';
import type { ChatBot } from '../../../common/ports/chat-bots.js';
import { BotNotVerified } from '../chat.errors.js';
import { BotsService } from './bots.service.js';

/** The longest message, with every character escaped in JSON. */
const MAX_BODY_BYTES = 256 * 1024;

interface BotRequest extends Request {
  chatBot?: ChatBot;
}

/** Authenticates a bot of the conversation by its signature over the message or the emoji. */
@Injectable()
export class SignedBotGuard implements CanActivate {
  constructor(private readonly bots: BotsService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<BotRequest>();
    // The signature covers the body, so the body is read before authentication.
    await inputBodiesOf(request).read(request, { largestAnonymousBytes: MAX_BODY_BYTES });
    const { token, message, reaction } = gatherInput(request);
    // Only the parameter of the route: the rest of the body is not signed.
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
export const SignedBot = createParamDecorator(
  (_data: unknown, context: ExecutionContext): ChatBot | undefined =>
    context.switchToHttp().getRequest<BotRequest>().chatBot,
);
