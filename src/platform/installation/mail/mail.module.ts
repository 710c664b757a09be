import { Subject } from '../../../common/subjects/subject.js';
import { MailServer } from './mail-server.service.js';
import { MailChecks } from './mail.checks.js';
import { MailService } from './mail.service.js';

/** Sends mails. */
@Subject({
  providers: [MailChecks, MailServer, MailService],
  exports: [MailChecks, MailServer, MailService],
})
export class MailModule {}
