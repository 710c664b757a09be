import { Header, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { hash } from 'node:crypto';
import { z } from 'zod';
import { ReadsByPost } from '../../common/auth/in-scope.decorator.js';
import { PublicAddress } from '../../common/config/public-address.js';
import { Delete, Get, Post } from '../../common/contracts/routes.js';
import { InTurn } from '../../common/http/answer-turns.js';
import { CurrentUser } from '../../common/http/current-user.decorator.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { wholeNumberThat } from '../../common/http/loose-inputs.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { Notification, RichText } from '../../common/ports/notification-center.js';
import type { Account } from '../../common/ports/user-directory.js';
import { languageOf } from '../../common/texts/languages.js';
import { shownSentence } from '../../common/texts/visitor-language.js';
import { GATEFOLD_VERSION } from '../../common/version.js';
import { APP_ICON_PATH } from '../installation/navigation/navigation.controller.js';
import { NotificationsService } from './notifications.service.js';

/** A notification in the host's OCS API. */
type NotificationJson = ReturnType<typeof toNotificationJson>;

const richObjects = z.record(z.string(), z.record(z.string(), z.unknown()));

const NotificationSchema = z
  .object({
    notification_id: z.int(),
    app: z.string(),
    user: z.string(),
    datetime: z.string(),
    object_type: z.string(),
    object_id: z.string(),
    subject: z.string(),
    subjectRich: z.string(),
    subjectRichParameters: richObjects,
    message: z.string(),
    messageRich: z.string(),
    messageRichParameters: richObjects,
    link: z.string(),
    icon: z.string(),
    shouldNotify: z.boolean(),
    actions: z.array(z.unknown()).max(0),
  })
  .meta({ id: 'Notification' });

const NotificationAnswer = NotificationSchema;

const NotificationsAnswer = z.array(NotificationSchema);

const ExistingIdsAnswer = z.array(z.int());

const id = wholeNumberThat((int) => int.min(0));
const NotificationPath = z.object({ id });
const NotificationIds = z.object({ ids: z.array(id) });

/** The caller's notifications. */
@OcsController('apps/notifications/api/v2/notifications')
export class NotificationsController {
  constructor(
    private readonly notifications: NotificationsService,
    private readonly address: PublicAddress,
  ) {}

  /** Clients poll once a minute; an unchanged list is a 304. */
  @InTurn()
  @Get('', 'Lists the notifications of the caller.', NotificationsAnswer, { empty: [304] })
  @Header('Cache-Control', 'private, no-cache')
  @Header('Vary', 'Accept')
  async list(
    @CurrentUser() user: Account,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const ids = await this.notifications.newestIds(user.userId);
    response.setHeader('ETag', entityTag(ids, languageOf(request)));
    if (request.fresh) {
      // Express compares, too, and answers 304.
      return [];
    }
    const notifications = await this.notifications.list(user.userId);
    return notifications.map((notification) => this.#render(notification));
  }

  @Get(':id', 'Shows a notification.', NotificationAnswer)
  async show(
    @CurrentUser() user: Account,
    @Input(NotificationPath) path: In<typeof NotificationPath>,
  ) {
    return this.#render(await this.notifications.find(user.userId, path.id));
  }

  /** Lets clients remove notifications that no longer exist. */
  @Post('exists', 'Tells which of these notifications still exist.', ExistingIdsAnswer)
  @ReadsByPost()
  async exists(
    @CurrentUser() user: Account,
    @Input(NotificationIds) { ids }: In<typeof NotificationIds>,
  ) {
    return this.notifications.existing(user.userId, ids);
  }

  @Delete(':id', 'Dismisses a notification.', 'nothing')
  async dismiss(
    @CurrentUser() user: Account,
    @Input(NotificationPath) path: In<typeof NotificationPath>,
  ): Promise<void> {
    await this.notifications.dismiss(user.userId, path.id);
  }

  @Delete('', 'Dismisses all notifications of the caller.', 'nothing')
  async dismissAll(@CurrentUser() user: Account): Promise<void> {
    await this.notifications.dismissAll(user.userId);
  }

  #render(notification: Notification): NotificationJson {
    return toNotificationJson(notification, this.address.of(APP_ICON_PATH));
  }
}

/** Of the ids and the language of a list: the rest follows from them, for one version of the service. */
function entityTag(ids: readonly number[], language: string): string {
  return `"${hash('sha1', JSON.stringify([GATEFOLD_VERSION, language, ids]))}"`;
}

/** Of all names that replace placeholders in one text. */
const MOST_NAME_CHARACTERS = 2000;

function toNotificationJson(
  { id, userId, appId, createdSeconds, objectType, objectId, link, ...texts }: Notification,
  icon: string,
) {
  const [subject, message] = [shown(texts.subject), shown(texts.message)];
  return {
    notification_id: id,
    app: appId,
    user: userId,
    datetime: toDateTime(createdSeconds),
    object_type: objectType,
    object_id: objectId,
    subject: plainTextOf(subject),
    subjectRich: subject.text,
    subjectRichParameters: subject.parameters,
    message: plainTextOf(message),
    messageRich: message.text,
    messageRichParameters: message.parameters,
    link,
    icon,
    shouldNotify: true,
    actions: [],
  };
}

/** Sentences of the host in the language of the reader; apps write theirs in one language. */
function shown({ text, parameters }: RichText): RichText {
  return { text: shownSentence(text), parameters };
}

/**
 * The text with placeholders replaced by names, for clients without rich objects. As long as there is room: a
 * text may repeat a placeholder thousands of times, and its name may be long.
 */
function plainTextOf({ text, parameters }: RichText): string {
  let room = MOST_NAME_CHARACTERS;
  return text.replace(/\{([^{}]+)\}/g, (token, placeholder: string) => {
    const given = Object.hasOwn(parameters, placeholder) && parameters[placeholder]?.['name'];
    const name = typeof given === 'string' || typeof given === 'number' ? String(given) : token;
    room -= name.length;
    return room < 0 ? token : name;
  });
}

/** No fractions and a numeric offset: the only form that clients parse. */
function toDateTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, '+00:00');
}
