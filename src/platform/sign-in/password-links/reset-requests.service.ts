import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { Config } from '../../../common/config/config.js';
import { networkOf } from '../../../common/http/client-network.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { hashOf } from '../../../common/secrets/token-hash.js';
import { HOUR_SECONDS } from '../../../common/units.js';
import { JobQueue } from '../../../database/jobs/job-queue.js';
import { MailService } from '../../installation/mail/mail.service.js';
import { SignInSettings } from '../sign-in.settings.js';
import { ThrottleRepository } from '../throttle/throttle.repository.js';
import { TooManyPasswordLinks } from './password-links.errors.js';
import { RESET_JOBS, SEALED_FOR, type ResetRequest } from './password-mail-jobs.js';

const MOST_OF_NETWORK = 10;
const MOST_OF_NAME = 5;
/** Total of all senders; bounds their jobs. */
const MOST_OF_ALL = 20_000;

/** Unauthenticated requests for a link. */
@Injectable()
export class ResetRequestsService {
  constructor(
    private readonly mail: MailService,
    private readonly throttle: ThrottleRepository,
    private readonly secretBox: SecretBox,
    private readonly jobs: JobQueue,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly settings: SignInSettings,
  ) {}

  /** Whether users can get links. */
  get isOffered(): boolean {
    return this.mail.isConfigured && this.settings.takesPasswords;
  }

  /** Stores a request. Behaves the same for unknown users. */
  async ask(request: ResetRequest, clientAddress: string): Promise<void> {
    await this.#assertFew(request.asked, clientAddress);
    const sealed = this.secretBox.seal(JSON.stringify(request), SEALED_FOR).toString('base64');
    await this.jobs.send(RESET_JOBS, [{ key: 'reset', payload: { sealed } }]);
  }

  /**
   * Limits requests per hour and across all processes: of one network, for one name or address, and in
   * total. Names are counted whether they exist or not.
   */
  async #assertFew(name: string, clientAddress: string): Promise<void> {
    const hour = Math.floor(this.clock.nowSeconds() / HOUR_SECONDS);
    const digest = hashOf(name.toLowerCase()).toString('base64url');
    if (this.config.rateLimits) {
      await this.#count([
        [`reset-of:${networkOf(clientAddress)}:${hour}`, MOST_OF_NETWORK],
        [`reset-for:${digest}:${hour}`, MOST_OF_NAME],
      ]);
    }
    await this.#count([[`reset:${hour}`, MOST_OF_ALL]]);
  }

  async #count(limits: readonly (readonly [key: string, most: number])[]): Promise<void> {
    const most = new Map(limits);
    const counts = await this.throttle.countFailure([...most.keys()], this.clock.now());
    if (counts.some(({ key, failures }) => failures > (most.get(key) ?? 0))) {
      throw new TooManyPasswordLinks(HOUR_SECONDS - (this.clock.nowSeconds() % HOUR_SECONDS));
    }
  }
}
