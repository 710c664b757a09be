import { Injectable } from '@nestjs/common';
import { Mail } from '../../../common/ports/mail.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { RESET_JOBS, SEALED_FOR, type ResetRequest } from './password-mail-jobs.js';
import { ResetThrottle } from './reset-throttle.js';

/** Requests of strangers for a link. */
@Injectable()
export class ResetRequestsService {
  constructor(
    private readonly mail: Mail,
    private readonly throttle: ResetThrottle,
    private readonly secretBox: SecretBox,
    private readonly jobs: JobQueue,
  ) {}

  /** Whether users can get links. */
  get isOffered(): boolean {
    return this.mail.isConfigured;
  }

  /** Stores a request. It does the same whether there is such a user or not. */
  async ask(request: ResetRequest, clientAddress: string): Promise<void> {
    await this.throttle.count(request.asked, clientAddress);
    const sealed = this.secretBox.seal(JSON.stringify(request), SEALED_FOR).toString('base64');
    await this.jobs.send(RESET_JOBS, [{ key: 'reset', payload: { sealed } }]);
  }
}
