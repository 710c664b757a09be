import { Delete, Get, Post } from '../../../../common/contracts/routes.js';
import { CurrentUser } from '../../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../../common/http/input.decorator.js';
import { OcsSuccess } from '../../../../common/ocs/envelope.js';
import { OcsController } from '../../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../../common/ports/user-directory.js';
import { ReactionList, ReactionOf } from './reactions.input.js';
import { ReactionsService } from './reactions.service.js';
import { toReactionsJson, ReactionsAnswer } from './reactions.wire.js';

/** Reactions to a message. Each response lists all of them. */
@OcsController('apps/spreed/api/v1/reaction/:token/:messageId')
export class ReactionsController {
  constructor(private readonly reactions: ReactionsService) {}

  @Get('', 'Lists the reactions to a message.', ReactionsAnswer)
  async list(
    @CurrentUser() user: Account,
    @Input(ReactionList) { token, messageId, reaction }: In<typeof ReactionList>,
  ) {
    const found = await this.reactions.list(user.userId, token, messageId);
    return toReactionsJson(
      reaction === '' ? found : found.filter((one) => one.reaction === reaction),
    );
  }

  @Post('', 'Reacts to a message.', ReactionsAnswer, { also: [201] })
  async add(
    @CurrentUser() user: Account,
    @Input(ReactionOf) { token, messageId, reaction }: In<typeof ReactionOf>,
  ) {
    const isNew = await this.reactions.add(user, token, messageId, reaction);
    const all = toReactionsJson(await this.reactions.list(user.userId, token, messageId));
    return isNew ? new OcsSuccess(201, all) : all;
  }

  @Delete('', 'Takes a reaction back.', ReactionsAnswer)
  async remove(
    @CurrentUser() user: Account,
    @Input(ReactionOf) { token, messageId, reaction }: In<typeof ReactionOf>,
  ) {
    await this.reactions.remove(user, token, messageId, reaction);
    return toReactionsJson(await this.reactions.list(user.userId, token, messageId));
  }
}
