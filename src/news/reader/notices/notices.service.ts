import { Injectable } from '@nestjs/common';
import { UserDirectoryOffer } from '../../../common/ports/user-directory.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';
import { ItemsService } from '../items/items.service.js';
import { ChannelBox } from './channel-box.service.js';
import { NoticeNotFound } from './notices.errors.js';
import {
  NOTICE_JOBS,
  NoticesRepository,
  type ListedNotice,
  type NoticeSettings,
} from './notices.repository.js';

/** What users are told, and were told. */
@Injectable()
export class NoticesService {
  constructor(
    private readonly notices: NoticesRepository,
    private readonly readers: ReadersRepository,
    private readonly items: ItemsService,
    private readonly box: ChannelBox,
    private readonly users: UserDirectoryOffer,
    private readonly jobs: JobQueue,
  ) {}

  /** Begins to send at once what `NoticesRepository.put` stored. Call after the commit. */
  wake(): void {
    // Each worker that finds a job wakes another: sixteen at once would ask in vain after each delivery.
    this.jobs.wake(NOTICE_JOBS);
  }

  /** Newest first. @param before exclusive id; null begins with the newest */
  async list(reader: Reader, before: number | null, limit: number): Promise<ListedNotice[]> {
    const listed = await this.notices.list(reader.id, before, limit);
    const waiting = listed.filter(({ feedId }) => feedId === null);
    const items = await this.notices.itemsOf(reader.id, waiting, 0);
    return listed.map((notice) => {
      const { title, feedId, feedTitle } = items.get(notice.itemId) ?? { feedId: null };
      return notice.feedId !== null || feedId === null
        ? notice
        : { ...notice, feedId, title: title ?? '', feedTitle: feedTitle ?? '' };
    });
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
