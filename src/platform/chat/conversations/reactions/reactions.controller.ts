import { z } from 'zod';
import { Delete, Get, Post } from '../../../../common/contracts/routes.js';
import { InTurn } from '../../../../common/http/answer-turns.js';
import { CurrentUser } from '../../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../../common/http/input.decorator.js';
import { orElse } from '../../../../common/http/loose-inputs.js';
import { OcsSuccess } from '../../../../common/ocs/envelope.js';
import { OcsController } from '../../../../common/ocs/ocs-controller.decorator.js';
import type { Account } from '../../../../common/ports/user-directory.js';
import { MessagePath, ReactionOf, text } from '../../chat.input.js';
import type { Reaction } from '../model/reactions.repository.js';
import { ReactionsService } from './reactions.service.js';

/** Reactions by emoji. */
const ReactionList = MessagePath.extend({ reaction: orElse(text, '') });

const ReactionsAnswer = z.record(
  z.string(),
  z.array(
    z.object({
      actorType: z.string(),
      actorId: z.string(),
      actorDisplayName: z.string(),
      timestamp: z.int().describe('Unix seconds.'),
    }),
  ),
);

/** Reactions to a message. Each response lists all of them. */
@OcsController('apps/spreed/api/v1/reaction/:token/:messageId')
export class ReactionsController {
  constructor(private readonly reactions: ReactionsService) {}

  @InTurn()
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

/** Grouped by emoji, ordered by the first of each. */
function toReactionsJson(reactions: readonly Reaction[]) {
  const shown = new Map<string, object[]>();
  for (const { reaction, actor, createdSeconds } of reactions) {
    const ofEmoji = shown.get(reaction) ?? [];
    shown.set(reaction, ofEmoji);
    ofEmoji.push({
      actorType: actor.type,
      actorId: actor.id,
      actorDisplayName: actor.displayName,
      timestamp: createdSeconds,
    });
  }
  return Object.fromEntries(shown);
}
