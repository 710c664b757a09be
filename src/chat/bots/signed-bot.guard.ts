import {
  createParamDecorator,
  Injectable,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request } from 'express';
import { inputBodiesOf } from '../../common/http/input-bodies.js';
import { gatherInput } from '../../common/http/input.decorator.js';
import type { ChatBot } from '../../common/ports/chat-bots.js';
import { BotsService } from './bots.service.js';
import { BotNotVerified } from '../chat.errors.js';

/** Room for the longest message in the most wasteful spelling of JSON. */
const LARGEST_BODY_BYTES = 256 * 1024;

interface BotRequest extends Request {
  chatBot?: ChatBot;
}

/**
 * Lets in the bots of a conversation, which prove themselves by a signature over what they say: the
 * message, or the emoji.
 */
@Injectable()
export class SignedBotGuard implements CanActivate {
  constructor(private readonly bots: BotsService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<BotRequest>();
    // The signature is over what the body says, so it is read while the sender is unknown.
    await inputBodiesOf(request).read(request, { largestAnonymousBytes: LARGEST_BODY_BYTES });
    const { token, message, reaction } = gatherInput(request);
    // Only what the route is about: what else the body holds has been signed by nobody.
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

/** Injects the bot that `SignedBotGuard` let in. */
export const SignedBot = createParamDecorator(
  (_data: unknown, context: ExecutionContext): ChatBot | undefined =>
    context.switchToHttp().getRequest<BotRequest>().chatBot,
);
