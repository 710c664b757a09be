import { Injectable } from '@nestjs/common';
import { invalid } from '../../common/errors/domain-error.js';
import { AdministrationLogOffer } from '../../common/ports/administration-log.js';
import { NotificationsRepository } from './notifications.repository.js';

class InvalidAnnouncement extends invalid(
  (most: number) => `An announcement has 1 to ${most} characters.`,
) {}

const LONGEST = 500;
const SENDER = 'gatefold';
const SUBJECT = { text: 'A message from the administrators', parameters: {} };

/** Tells all users something. Accounts that are added later are not told. */
@Injectable()
export class AnnouncementsService {
  constructor(
    private readonly notifications: NotificationsRepository,
    private readonly log: AdministrationLogOffer,
  ) {}

  /** @returns the number of users @throws InvalidAnnouncement */
  async announce(given: string): Promise<number> {
    const text = given.trim();
    if (text === '' || text.length > LONGEST) {
      throw new InvalidAnnouncement(LONGEST);
    }
    const users = await this.notifications.announce(SENDER, SUBJECT, { text, parameters: {} });
    await this.log.required.record({ kind: 'announcement', details: `to ${users} users: ${text}` });
    return users;
  }

  async list() {
    return this.notifications.announcements(SENDER);
  }

  async withdraw(): Promise<void> {
    await this.notifications.withdrawAnnouncement(SENDER);
    await this.log.required.record({ kind: 'announcement', details: 'withdrawn' });
  }
}
