import { Header, Res } from '@nestjs/common';
import type { Response } from 'express';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Delete, Get, Post } from '../../common/contracts/routes.js';
import { CurrentUser } from '../../common/http/current-user.decorator.js';
import { ReadsByPost } from '../../common/auth/in-scope.decorator.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { PublicAddress } from '../../common/config/public-address.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import type { Notification } from '../../common/ports/notification-center.js';
import type { Account } from '../../common/ports/user-directory.js';
import { APP_ICON_PATH } from '../installation/navigation/icons.controller.js';
import { NotificationsService } from './notifications.service.js';
import {
  toNotificationJson,
  type NotificationJson,
  NotificationsAnswer,
  NotificationAnswer,
  ExistingIdsAnswer,
} from './notifications.wire.js';

const id = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
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
  @Get('', 'Lists the notifications of the caller.', NotificationsAnswer, { empty: [304] })
  @Header('Cache-Control', 'private, no-cache')
  @Header('Vary', 'Accept')
  async list(
    @CurrentUser() user: Account,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NotificationJson[]> {
    const notifications = await this.notifications.list(user.userId);
    const shown = notifications.map((notification) => this.#render(notification));
    // Express compares it with If-None-Match, and answers 304.
    response.setHeader('ETag', entityTag(shown));
    return shown;
  }

  @Get(':id', 'Shows a notification.', NotificationAnswer)
  async show(
    @CurrentUser() user: Account,
    @Input(NotificationPath) path: In<typeof NotificationPath>,
  ): Promise<NotificationJson> {
    return this.#render(await this.notifications.find(user.userId, path.id));
  }

  /** Which of these still exist, so that clients can remove the others. */
  @Post('exists', 'Tells which of these notifications still exist.', ExistingIdsAnswer)
  @ReadsByPost()
  async exists(
    @CurrentUser() user: Account,
    @Input(NotificationIds) { ids }: In<typeof NotificationIds>,
  ): Promise<number[]> {
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

function entityTag(shown: readonly NotificationJson[]): string {
  return `"${createHash('sha1').update(JSON.stringify(shown)).digest('hex')}"`;
}
