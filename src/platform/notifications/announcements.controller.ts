import { z } from 'zod';
import { AdminGuard } from '../../common/auth/admin.guard.js';
import { BasicAuthGuard } from '../../common/auth/basic-auth.guard.js';
import { Delete, Get, Post } from '../../common/contracts/routes.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import { AnnouncementsService } from './announcements.service.js';

const NewAnnouncement = z.object({ text: z.string() });
const users = z.int().describe('Those who have not dismissed it.');
const AnnouncedAnswer = z.object({ users });
const Announcements = z.array(
  z.object({ text: z.string(), at: z.int().describe('Unix seconds.'), users }),
);

/** The message of the administrators to all users. */
@OcsController('apps/gatefold/api/v1/announcements', { guards: [BasicAuthGuard, AdminGuard] })
export class AnnouncementsController {
  constructor(private readonly announcements: AnnouncementsService) {}

  @Get('', 'Shows the announcement, if there is one.', Announcements)
  async list() {
    return this.announcements.list();
  }

  @Post('', 'Notifies all users, instead of a former announcement.', AnnouncedAnswer)
  async announce(@Input(NewAnnouncement) { text }: In<typeof NewAnnouncement>) {
    return { users: await this.announcements.announce(text) };
  }

  @Delete('', 'Withdraws the announcement.', 'nothing')
  async withdraw(): Promise<void> {
    await this.announcements.withdraw();
  }
}
