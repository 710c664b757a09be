import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Allowances } from '../../../common/ports/allowances.js';
import { UserDirectoryOffer } from '../../../common/ports/user-directory.js';
import { HOUR_SECONDS } from '../../../common/units.js';
import { limitedAs } from '../../../database/statement-limits.js';
import { ItemNotFound } from '../../news.errors.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import { ItemsService } from '../items/items.service.js';
import { ChannelBox } from './channel-box.service.js';
import { ChannelsRepository } from './channels.repository.js';
import { ChannelNotFound, NoticeNotFound, NotSentOn, TooManySentOn } from './notices.errors.js';
import {
  NoticesRepository,
  type ListedNotice,
  type NoticeJob,
  type NoticeSettings,
} from './notices.repository.js';

/** Deliveries of many readers send their notices together. */
const GATHER_MS = 50;

/** Of all channels of a user: each sends a request or a mail. */
const SENT_ON = { kind: 'articles sent on', most: 300, periodSeconds: HOUR_SECONDS };

/** What users are told, and were told. */
@Injectable()
export class NoticesService implements BeforeApplicationShutdown {
  readonly #logger = new Logger('Notices');
  readonly #gathered: NoticeJob[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly notices: NoticesRepository,
    private readonly readers: ReadersRepository,
    private readonly items: ItemsService,
    private readonly box: ChannelBox,
    private readonly users: UserDirectoryOffer,
    private readonly channels: ChannelsRepository,
    private readonly allowances: Allowances,
  ) {}

  /** Has notices that are stored sent, with others of this moment. A process that ends before leaves it to `sendDue`. */
  soon(jobs: readonly NoticeJob[]): void {
    this.#gathered.push(...jobs);
    this.#timer ??= limitedAs('background', () =>
      setTimeout(() => void this.#sendGathered(), GATHER_MS),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#sendGathered();
  }

  async #sendGathered(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      await this.notices.send(this.#gathered.splice(0));
    } catch (error) {
      this.#logger.warn(`Notices are sent later: ${String(error)}`);
    }
  }

  /** Newest first. @param before exclusive id; null begins with the newest */
  async list(reader: Reader, before: number | null, limit: number): Promise<ListedNotice[]> {
    const listed = await this.notices.list(reader.id, before, limit);
    const waiting = listed.filter(({ feedId }) => feedId === null);
    const items = await this.notices.itemsOf(reader.id, waiting, false);
    return listed.map((notice) => {
      const { title, feedId, feedTitle } = items.get(notice.itemId) ?? { feedId: null };
      return notice.feedId !== null || feedId === null
        ? notice
        : { ...notice, feedId, title: title ?? '', feedTitle: feedTitle ?? '' };
    });
  }

  /**
   * Sends an article on by a channel, by the outbox. Again, if it was sent before.
   *
   * @throws ItemNotFound, ChannelNotFound, NotSentOn, TooManySentOn
   */
  async sendOn(reader: Reader, itemId: number, channelId: number): Promise<void> {
    const items = await this.notices.itemsOf(reader.id, [{ itemId }], false);
    const { isPrivate } = ItemNotFound.unless(items.get(itemId), itemId);
    const found = await this.channels.find(reader.id, channelId);
    const { enabled, privateFeeds } = ChannelNotFound.unless(found, channelId);
    if (!enabled) {
      throw new NotSentOn('The channel is off.');
    }
    if (isPrivate && !privateFeeds) {
      throw new NotSentOn('The feed has a password, and the channel is not for such feeds.');
    }
    const { granted, waitSeconds } = await this.allowances.take(reader.userId, SENT_ON);
    if (granted === 0) {
      throw new TooManySentOn(waitSeconds);
    }
    const jobs = await this.readers.change(reader, (tx, locked) =>
      this.notices.putByHand(locked, itemId, channelId, tx),
    );
    this.soon(jobs);
  }

  /** Has a notice that failed sent again. @throws NoticeNotFound unless it failed */
  async retry(reader: Reader, id: number): Promise<void> {
    await this.notices.send([NoticeNotFound.unless(await this.notices.retry(reader.id, id), id)]);
  }

  async settings(reader: Reader): Promise<NoticeSettings> {
    return this.notices.settingsOf(reader.id);
  }

  async changeSettings(reader: Reader, settings: NoticeSettings): Promise<NoticeSettings> {
    await this.readers.change(reader, (tx, locked) =>
      this.notices.saveSettings(locked, settings, tx),
    );
    await this.notices.sendDue();
    return settings;
  }

  /** Presses a button of a notice. @throws NoticeNotFound for a wrong token, and what is gone */
  async press(token: string, button: 'read' | 'star'): Promise<void> {
    const { readerId, noticeId } = NoticeNotFound.unless(this.box.readToken(token), 0);
    const notice = NoticeNotFound.unless(await this.notices.find(readerId, noticeId), 0);
    const user = NoticeNotFound.unless(await this.notices.readerOf(readerId), 0);
    NoticeNotFound.unless(await this.users.required.find(user.userId), 0);
    const reader = { userId: user.userId, id: readerId };
    const isRead = button === 'read';
    await this.items.setFlag(reader, notice.itemId, isRead ? 'unread' : 'starred', !isRead);
  }
}
