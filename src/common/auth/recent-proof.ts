import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Config } from '../config/config.js';
import type { Session } from '../ports/sessions.js';
import { ProofRequired } from './auth.errors.js';

/**
 * Protects actions that could take over an account or the installation from stolen and forgotten sessions:
 * the user must have proved their identity within the last minutes. A login is such a proof.
 */
@Injectable()
export class RecentProof {
  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  isRecent({ provenSeconds }: Session): boolean {
    const { proofMinutes } = this.config;
    return proofMinutes === 0 || this.clock.nowSeconds() - provenSeconds < proofMinutes * 60;
  }

  /**
   * @param session undefined for other credentials, which are a proof themselves
   * @throws ProofRequired
   */
  assert(session: Session | undefined): void {
    if (session !== undefined && !this.isRecent(session)) {
      throw new ProofRequired();
    }
  }
}
