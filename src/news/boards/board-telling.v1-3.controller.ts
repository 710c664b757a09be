import { Controller, UseFilters } from '@nestjs/common';
import { z } from 'zod';
import { ApiPost, Delete, Get, Put } from '../../common/contracts/routes.js';
import { JsonErrorFilter } from '../../common/errors/json-error.filter.js';
import { Public } from '../../common/http/current-user.decorator.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { orElse } from '../../common/http/loose-inputs.js';
import { shownSentence } from '../../common/texts/visitor-language.js';
import { CurrentEditor } from '../group-folders/current-editor.decorator.js';
import type { Editor } from '../group-folders/group-folders.service.js';
import { NewsController, V1_3 } from '../http/levels.guard.js';
import { DONE_ONE, DoneOneAnswer } from '../news.wire.js';
import { boolean, integer, text } from '../parameters.js';
import { time, timeZone } from '../reader/notices/given-settings.js';
import { TELLING_FORMS } from '../reader/notices/notice.entities.js';
import { BoardDigestsService } from './board-digests.service.js';
import type { BoardWebhook } from './board-webhooks.repository.js';
import { BoardWebhooksService } from './board-webhooks.service.js';

const WebhookSchema = z
  .object({
    id: z.int(),
    form: z.enum(TELLING_FORMS),
    name: z.string(),
    target: z.string(),
    enabled: z.boolean(),
    failingSince: z.int().nullable().describe('Unix seconds.'),
    lastError: z.string().nullable(),
    offReason: z.string().nullable(),
  })
  .meta({ id: 'BoardWebhook' });

const ListAnswer = z.object({ webhooks: z.array(WebhookSchema) });
const AddedAnswer = z.object({ webhook: WebhookSchema, secret: z.string().nullable() });
const TestAnswer = z.object({ sent: z.boolean(), message: z.string() });

const short = orElse(text.max(2000), '');
const BoardPath = z.object({ boardId: integer });
const WebhookPath = BoardPath.extend({ webhookId: integer });
const AddWebhook = BoardPath.extend({
  form: z.enum(TELLING_FORMS),
  name: short,
  address: short,
  secret: short,
  recipient: short,
});
const SwitchWebhook = WebhookPath.extend({ enabled: boolean });
const SetDigest = BoardPath.extend({ at: time.nullable(), timeZone: orElse(timeZone, 'UTC') });
const ChooseDigest = BoardPath.extend({ wanted: boolean });
const RefusePath = z.object({ token: z.string() });

/** How a board tells what is added to it. Beyond the specification. */
@NewsController(V1_3, 'boards/:boardId')
export class BoardTellingV13Controller {
  constructor(
    private readonly webhooks: BoardWebhooksService,
    private readonly digests: BoardDigestsService,
  ) {}

  @Get('webhooks', 'Lists the webhooks of a board.', ListAnswer)
  async list(@CurrentEditor() caller: Editor, @Input(BoardPath) { boardId }: In<typeof BoardPath>) {
    const webhooks = await this.webhooks.list(caller, boardId);
    return { webhooks: webhooks.map(toWebhookJson) };
  }

  @ApiPost('webhooks', 'Adds a webhook to a board.', AddedAnswer)
  async add(
    @CurrentEditor() caller: Editor,
    @Input(AddWebhook) { boardId, ...given }: In<typeof AddWebhook>,
  ) {
    const { webhook, secret } = await this.webhooks.add(caller, boardId, given);
    return { webhook: toWebhookJson(webhook), secret };
  }

  @Put('webhooks/:webhookId', 'Switches a webhook of a board on or off.', DoneOneAnswer)
  async switch(
    @CurrentEditor() caller: Editor,
    @Input(SwitchWebhook) { boardId, webhookId, enabled }: In<typeof SwitchWebhook>,
  ) {
    await this.webhooks.switch(caller, boardId, webhookId, enabled);
    return DONE_ONE;
  }

  @Delete('webhooks/:webhookId', 'Removes a webhook of a board.', DoneOneAnswer)
  async remove(
    @CurrentEditor() caller: Editor,
    @Input(WebhookPath) { boardId, webhookId }: In<typeof WebhookPath>,
  ) {
    await this.webhooks.remove(caller, boardId, webhookId);
    return DONE_ONE;
  }

  @ApiPost('webhooks/:webhookId/test', 'Sends a message by a webhook for trial.', TestAnswer)
  async test(
    @CurrentEditor() caller: Editor,
    @Input(WebhookPath) { boardId, webhookId }: In<typeof WebhookPath>,
  ) {
    const error = await this.webhooks.test(caller, boardId, webhookId);
    return { sent: error === null, message: shownSentence(error ?? 'The message was sent.') };
  }

  @Put('digest', 'Sets when members get what was added by mail.', DoneOneAnswer)
  async setDigest(
    @CurrentEditor() caller: Editor,
    @Input(SetDigest) { boardId, at, timeZone: zone }: In<typeof SetDigest>,
  ) {
    await this.digests.set(caller, boardId, at, zone);
    return DONE_ONE;
  }

  @Put('digest/mine', 'Says whether the caller wants the mails of a board.', DoneOneAnswer)
  async chooseDigest(
    @CurrentEditor() caller: Editor,
    @Input(ChooseDigest) { boardId, wanted }: In<typeof ChooseDigest>,
  ) {
    await this.digests.choose(caller, boardId, wanted);
    return DONE_ONE;
  }
}

/** What mail programs call to unsubscribe (RFC 8058), without credentials: the token is good for one board. */
@Public()
@Controller('apps/news/board-digests/:token')
@UseFilters(JsonErrorFilter)
export class BoardRefusalsController {
  constructor(private readonly digests: BoardDigestsService) {}

  @ApiPost('', 'Ends the mails of a board for whoever got the token.', DoneOneAnswer)
  async refuse(@Input(RefusePath) { token }: In<typeof RefusePath>) {
    await this.digests.refuse(token);
    return DONE_ONE;
  }
}

function toWebhookJson(webhook: BoardWebhook) {
  const { id, form, name, target, enabled, failingSinceSeconds, lastError, offReason } = webhook;
  return {
    id,
    form,
    name,
    target,
    enabled,
    failingSince: failingSinceSeconds,
    lastError: shownSentence(lastError),
    offReason: shownSentence(offReason),
  };
}
