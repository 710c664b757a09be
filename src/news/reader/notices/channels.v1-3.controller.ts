import { z } from 'zod';
import { AdminGuard, ProgramsToo } from '../../../common/auth/admin.guard.js';
import { ApiPost, Delete, Get, Put } from '../../../common/contracts/routes.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { shownSentence } from '../../../common/texts/visitor-language.js';
import { NewsController, V1_3 } from '../../http/levels.guard.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { boolean, integer, text, unlessAbsent } from '../../parameters.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import type { Channel } from './channels.repository.js';
import { ChannelsService } from './channels.service.js';
import { CHANNEL_KINDS, WEBHOOK_FORMS } from './notice.entities.js';

const STATE = {
  kind: z.enum(CHANNEL_KINDS),
  form: z.enum(WEBHOOK_FORMS).nullable(),
  enabled: z.boolean(),
  failingSince: z.int().nullable().describe('Unix seconds.'),
  lastError: z.string().nullable(),
  offReason: z.string().nullable(),
};
const ChannelSchema = z
  .object({
    id: z.int(),
    name: z.string(),
    privateFeeds: z.boolean(),
    target: z.string(),
    ...STATE,
  })
  .meta({ id: 'Channel' });

const ListAnswer = z.object({
  channels: z.array(ChannelSchema),
  applicationServerKey: z.string().nullable(),
  pushProblem: z.string().nullable(),
  mailProblem: z.string().nullable(),
  apps: z.array(z.object({ appId: z.string(), name: z.string() })),
  templates: z
    .array(z.object({ name: z.string(), address: z.string() }))
    .describe('Links by which articles are sent on, of the operator.'),
});
const SavedAnswer = z.object({
  channels: z.array(ChannelSchema),
  secret: z.string().nullable(),
});
const TestAnswer = z.object({ sent: z.boolean(), message: z.string() });
const FailingAnswer = z.object({
  channels: z.array(z.object({ userId: z.string(), ...STATE })),
});

const short = unlessAbsent(text.max(2000));
const keys = z.object({ p256dh: text.max(200), auth: text.max(100) });
const CHANNEL = {
  name: short,
  enabled: unlessAbsent(boolean),
  privateFeeds: unlessAbsent(boolean),
  form: unlessAbsent(z.enum(WEBHOOK_FORMS)),
  address: short,
  secret: short,
  recipient: short,
  clientId: short,
  clientSecret: short,
  subscription: unlessAbsent(z.object({ endpoint: text.max(2000), keys })),
  appId: short,
};
const AddChannel = z.object({ kind: z.enum(CHANNEL_KINDS), ...CHANNEL });
const ChangeChannel = z.object({ channelId: integer, ...CHANNEL });
const ChannelPath = z.object({ channelId: integer });

/** @see docs/news-api.md "Channels" */
@NewsController(V1_3, 'channels')
export class ChannelsV13Controller {
  constructor(private readonly channels: ChannelsService) {}

  @Get('', 'Lists the channels by which the caller is told.', ListAnswer)
  async list(@CurrentReader() reader: Reader) {
    const { channels, pushProblem, mailProblem, ...offered } = await this.channels.list(reader);
    return {
      channels: channels.map(toChannelJson),
      pushProblem: shownSentence(pushProblem),
      mailProblem: shownSentence(mailProblem),
      ...offered,
    };
  }

  @ApiPost('', 'Adds a channel.', SavedAnswer)
  async add(@CurrentReader() reader: Reader, @Input(AddChannel) given: In<typeof AddChannel>) {
    const { channel, secret } = await this.channels.add(reader, given);
    return { channels: [toChannelJson(channel)], secret };
  }

  @Put(':channelId', 'Changes a channel, and has it tried again.', SavedAnswer)
  async change(
    @CurrentReader() reader: Reader,
    @Input(ChangeChannel) { channelId, ...given }: In<typeof ChangeChannel>,
  ) {
    const { channel, secret } = await this.channels.change(reader, channelId, given);
    return { channels: [toChannelJson(channel)], secret };
  }

  @Delete(':channelId', 'Removes a channel.', DoneOneAnswer)
  async remove(
    @CurrentReader() reader: Reader,
    @Input(ChannelPath) { channelId }: In<typeof ChannelPath>,
  ) {
    await this.channels.remove(reader, channelId);
    return DONE_ONE;
  }

  @ApiPost(':channelId/test', 'Sends a message by a channel for trial.', TestAnswer)
  async test(
    @CurrentReader() reader: Reader,
    @Input(ChannelPath) { channelId }: In<typeof ChannelPath>,
  ) {
    const error = await this.channels.test(reader, channelId);
    return { sent: error === null, message: shownSentence(error ?? 'The message was sent.') };
  }
}

/** Channels that fail, for administrators: whose and why, but neither addresses nor contents. */
@NewsController(V1_3, 'admin/channels', AdminGuard)
export class FailingChannelsController {
  constructor(private readonly channels: ChannelsService) {}

  @Get('', 'Lists channels that fail or were switched off.', FailingAnswer)
  @ProgramsToo()
  async list() {
    const failing = await this.channels.failing();
    return { channels: failing.map((one) => ({ userId: one.userId, ...toStateJson(one) })) };
  }
}

function toStateJson({ kind, form, enabled, failingSinceSeconds, lastError, offReason }: Channel) {
  return {
    kind,
    form,
    enabled,
    failingSince: failingSinceSeconds,
    lastError: shownSentence(lastError),
    offReason: shownSentence(offReason),
  };
}

/** @see docs/news-api.md "Channels" */
function toChannelJson(channel: Channel) {
  const { id, name, privateFeeds, target } = channel;
  return { id, name, privateFeeds, target, ...toStateJson(channel) };
}
