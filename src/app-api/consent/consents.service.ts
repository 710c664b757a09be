import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../../common/config/public-address.js';
import { AccessChanges } from '../../common/ports/access-changes.js';
import { AdministrationLog } from '../../common/ports/administration-log.js';
import { AppConsentOffer } from '../../common/ports/app-consent.js';
import { NotificationCenter } from '../../common/ports/notification-center.js';
import { ConsentRequired, ExAppNotFound } from '../app-api.errors.js';
import { ExAppsRepository } from '../apps/ex-apps.repository.js';
import { type Consent, ConsentsRepository, type ConsentState } from './consents.repository.js';

/** The page where users decide. */
const PAGE = 'settings/user/apps';

const QUESTION = { objectType: 'consent', objectId: 'news' } as const;

/**
 * Consent of users to apps that use the feed reader for them. An app asks once: the user is notified
 * of the first question only, and never after a decision.
 *
 * @see docs/decisions/0053-apps-act-for-users.md
 */
@Injectable()
export class ConsentsService {
  constructor(
    private readonly consents: ConsentsRepository,
    private readonly apps: ExAppsRepository,
    private readonly notifications: NotificationCenter,
    private readonly events: AdministrationLog,
    private readonly access: AccessChanges,
    private readonly address: PublicAddress,
    offer: AppConsentOffer,
  ) {
    offer.fill(this);
  }

  async require(appId: string, userId: string): Promise<void> {
    const state = await this.consents.use(userId, appId);
    if (state !== 'granted') {
      throw new ConsentRequired(appId, state ?? (await this.ask(appId, userId)));
    }
  }

  /** @returns `none` if the app never asked, and the user did not decide */
  async stateOf(appId: string, userId: string): Promise<ConsentState | 'none'> {
    return (await this.consents.read(userId, appId)) ?? 'none';
  }

  /** Asks the user, unless the app has done so before. @returns the state afterwards */
  async ask(appId: string, userId: string): Promise<ConsentState> {
    if (await this.consents.ask(userId, appId)) {
      const app = await this.apps.find(appId);
      await this.notifications.notify({
        ...QUESTION,
        appId,
        userId,
        subject: {
          text: 'The app {app} asks to use your feed reader.',
          parameters: { app: { type: 'highlight', id: appId, name: app?.name || appId } },
        },
        message: { text: 'Allow or refuse it in your settings.', parameters: {} },
        link: this.address.of(PAGE),
      });
      return 'asked';
    }
    return (await this.consents.read(userId, appId)) ?? 'asked';
  }

  /** Consents to enabled apps, refused ones included, by name. */
  async list(userId: string): Promise<Consent[]> {
    return this.consents.list(userId);
  }

  /**
   * Allows an enabled app, whether or not it has asked, or refuses it. Refusing ends its open
   * connections.
   *
   * @throws ExAppNotFound
   */
  async decide(appId: string, userId: string, state: 'granted' | 'refused'): Promise<void> {
    const former = await this.consents.decide(userId, appId, state);
    if (former === undefined) {
      throw new ExAppNotFound(appId);
    }
    await this.notifications.withdraw({ ...QUESTION, appId, userId });
    if (former === state) {
      return;
    }
    if (state === 'granted') {
      await this.events.noteConsent('app_allowed', userId, appId);
    }
    if (former === 'granted') {
      await this.access.announce(userId);
      await this.events.noteConsent('app_revoked', userId, appId);
    }
  }
}
