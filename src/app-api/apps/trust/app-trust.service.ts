import { Injectable } from '@nestjs/common';
import { AdministrationLog } from '../../../common/ports/administration-log.js';
import { AppTrustRepository, type TrustAnswer } from './app-trust.repository.js';

/** Tells operators the rights of a registered app. */
export const TRUST_SENTENCE =
  'An external app can read and change the files and settings of every user, and the scripts of its ' +
  'pages run in the browser with the rights of whoever looks at them. Register only apps that you trust ' +
  'like Gatefold itself; GATEFOLD_APPS_ORIGIN keeps their pages apart.';

/** Whether an administrator has answered, once for the installation, that external apps are trusted. */
@Injectable()
export class AppTrustService {
  constructor(
    private readonly answers: AppTrustRepository,
    private readonly administration: AdministrationLog,
  ) {}

  /** @returns null before the first answer */
  async answer(): Promise<TrustAnswer | null> {
    return this.answers.find();
  }

  /**
   * Stores the first answer; later ones change nothing.
   *
   * @param userId the administrator; null for the command line
   */
  async confirm(userId: string | null): Promise<void> {
    if (await this.answers.add(userId)) {
      await this.administration.record({
        kind: 'settings_changed',
        subject: { kind: 'setting', id: 'external apps' },
        details: 'confirmed that external apps are trusted',
      });
    }
  }
}
