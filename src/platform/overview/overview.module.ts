import { Subject } from '../../common/subjects/subject.js';
import { UsersModule } from '../accounts/users/users.module.js';
import { MailModule } from '../installation/mail/mail.module.js';
import { ThrottleModule } from '../sign-in/throttle/throttle.module.js';
import { OverviewController } from './overview.controller.js';
import { OverviewRepository, ProcessSampleEntity } from './overview.repository.js';
import { OverviewService } from './overview.service.js';
import { TestMailsService } from './test-mails.service.js';

/** What the installation uses, for its administrators. */
@Subject({
  imports: [MailModule, ThrottleModule, UsersModule],
  controllers: [OverviewController],
  providers: [OverviewRepository, OverviewService, TestMailsService],
  entities: [ProcessSampleEntity],
})
export class OverviewModule {}
