import { Controller, UseFilters } from '@nestjs/common';
import { z } from 'zod';
import { ApiPost, Get, Put } from '../../../common/contracts/routes.js';
import { JsonErrorFilter } from '../../../common/errors/json-error.filter.js';
import { Public } from '../../../common/http/current-user.decorator.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { shownSentence } from '../../../common/texts/visitor-language.js';
import { NewsController, V1_3 } from '../../http/levels.guard.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { integer } from '../../parameters.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { SaveSettings } from './given-settings.js';
import type { ListedNotice, NoticeSettings } from './notices.repository.js';
import { NoticesService } from './notices.service.js';

const NoticesAnswer = z.object({
  notices: z.array(
    z
      .object({
        id: z.int(),
        ruleId: z.int(),
        ruleName: z.string(),
        itemId: z.int(),
        title: z.string(),
        feedId: z.int().nullable(),
        feedTitle: z.string(),
        at: z.int().describe('Unix seconds.'),
        state: z.enum(['waiting', 'sent', 'failed', 'dropped']),
        channel: z.string(),
        reason: z.string().nullable(),
      })
      .meta({ id: 'Notice' }),
  ),
  next: z.int().nullable(),
});

const MOST_LISTED = 200;

const ListNotices = z.object({
  before: integer.optional(),
  limit: integer.pipe(z.int().min(1).max(MOST_LISTED)).default(50),
});
const NoticePath = z.object({ noticeId: integer });
const ButtonPath = z.object({ token: z.string(), button: z.enum(['read', 'star']) });

const SettingsAnswer = z.object({
  quiet: z.object({ from: z.string(), to: z.string(), days: z.array(z.int()) }).nullable(),
  timeZone: z.string(),
  notWhileReading: z.boolean(),
  mostPerRuleAndHour: z.int(),
});

/** @see docs/news-api.md "Notices" */
@NewsController(V1_3, 'notices')
export class NoticesV13Controller {
  constructor(private readonly notices: NoticesService) {}

  @Get('', 'Lists what the caller was told, newest first.', NoticesAnswer)
  async list(
    @CurrentReader() reader: Reader,
    @Input(ListNotices) { before, limit }: In<typeof ListNotices>,
  ) {
    const notices = await this.notices.list(reader, before ?? null, limit);
    const last = notices.at(-1)?.id ?? null;
    return { notices: notices.map(toNoticeJson), next: notices.length < limit ? null : last };
  }

  @ApiPost(':noticeId/retry', 'Sends a notice that failed again.', DoneOneAnswer)
  async retry(
    @CurrentReader() reader: Reader,
    @Input(NoticePath) { noticeId }: In<typeof NoticePath>,
  ) {
    await this.notices.retry(reader, noticeId);
    return DONE_ONE;
  }

  @Get('settings', 'Shows when the caller wants to be told.', SettingsAnswer)
  async settings(@CurrentReader() reader: Reader) {
    return toSettingsJson(await this.notices.settings(reader));
  }

  @Put('settings', 'Changes when the caller wants to be told.', SettingsAnswer)
  async changeSettings(
    @CurrentReader() reader: Reader,
    @Input(SaveSettings) settings: In<typeof SaveSettings>,
  ) {
    return toSettingsJson(await this.notices.changeSettings(reader, settings));
  }
}

const SendOn = z.object({ itemId: integer, channelId: integer });

/** Articles that are sent on. @see docs/news-api.md "Notices" */
@NewsController(V1_3, 'items')
export class SendingOnController {
  constructor(private readonly notices: NoticesService) {}

  @ApiPost(':itemId/send', 'Sends an article on by a channel.', DoneOneAnswer)
  async send(
    @CurrentReader() reader: Reader,
    @Input(SendOn) { itemId, channelId }: In<typeof SendOn>,
  ) {
    await this.notices.sendOn(reader, itemId, channelId);
    return DONE_ONE;
  }
}

/**
 * The buttons of a notice, which devices press without credentials: the token is good for one article, and
 * cannot be guessed.
 */
@Public()
@Controller('apps/news/notices/:token')
@UseFilters(JsonErrorFilter)
export class NoticeButtonsController {
  constructor(private readonly notices: NoticesService) {}

  @ApiPost(':button', 'Marks the article of a notice read or starred.', DoneOneAnswer)
  async press(@Input(ButtonPath) { token, button }: In<typeof ButtonPath>) {
    await this.notices.press(token, button);
    return DONE_ONE;
  }
}

function toSettingsJson(settings: NoticeSettings) {
  const { quiet, timeZone, notWhileReading, mostPerRuleAndHour } = settings;
  return {
    quiet: quiet && { from: quiet.from, to: quiet.to, days: [...quiet.days] },
    timeZone,
    notWhileReading,
    mostPerRuleAndHour,
  };
}

/** @see docs/news-api.md "Notices" */
function toNoticeJson(notice: ListedNotice) {
  const { id, ruleId, ruleName, itemId, title, feedId, feedTitle, createdSeconds, state } = notice;
  return {
    id,
    ruleId,
    ruleName,
    itemId,
    title: title ?? '',
    feedId,
    feedTitle: feedTitle ?? '',
    at: createdSeconds,
    state,
    channel: notice.channel ?? '',
    reason: shownSentence(notice.reason),
  };
}
