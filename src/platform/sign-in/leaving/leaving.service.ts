import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import type { Account } from '../../../common/ports/user-directory.js';
import type { Language } from '../../../common/texts/languages.js';
import { DAY_SECONDS } from '../../../common/units.js';
import { DatabaseUnavailable } from '../../../database/database-unavailable.js';
import { Regularly } from '../../../database/regularly.js';
import { SecurityEventsService } from '../../accounts/security/security-events.service.js';
import { AccountDeletions } from '../../accounts/users/account-deletions.task.js';
import { assertOther } from '../../accounts/users/account-rights.js';
import { UsersService } from '../../accounts/users/users.service.js';
import { AccountNotFound } from '../../platform.errors.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { SignInSettings } from '../sign-in.settings.js';
import { LeavingMessages } from './leaving-messages.service.js';
import { DecidedElsewhere, DeletionIsOff, InvalidReason, NotLeaving } from './leaving.errors.js';
import { LeavingRepository } from './leaving.repository.js';

interface LeavingState {
  readonly policy: 'off' | 'ask' | 'days' | 'elsewhere';
  /** From the request to the deletion; null unless the policy is `days`. */
  readonly days: number | null;
  /** Unix seconds; null: not asked. */
  readonly askedSeconds: number | null;
  /** Unix seconds; null: undecided, or not asked. */
  readonly leavesSeconds: number | null;
}

const LONGEST_REASON = 500;

/** Deletes accounts at the wish of their owners. See docs/decisions/0105-leaving.md. */
@Injectable()
export class LeavingService {
  readonly #logger = new Logger('Accounts');

  constructor(
    private readonly leaving: LeavingRepository,
    private readonly users: UsersService,
    private readonly deletions: AccountDeletions,
    private readonly sessions: SessionsService,
    private readonly events: SecurityEventsService,
    private readonly messages: LeavingMessages,
    private readonly settings: SignInSettings,
    private readonly clock: Clock,
  ) {}

  async show(userId: string): Promise<LeavingState> {
    const { leaveAskedSeconds: askedSeconds, leavesSeconds } = await this.users.show(userId);
    const { accountDeletion } = this.settings;
    const isElsewhere = await this.users.isManaged(userId);
    const [policy, days] =
      typeof accountDeletion === 'number'
        ? (['days', accountDeletion] as const)
        : ([accountDeletion, null] as const);
    return isElsewhere
      ? { policy: 'elsewhere', days: null, askedSeconds, leavesSeconds }
      : { policy, days, askedSeconds, leavesSeconds };
  }

  /**
   * Asks for the deletion of one's own account. If it has a date, all browsers are logged out. No-op if it
   * was asked for before.
   *
   * @throws DeletionIsOff
   * @throws DecidedElsewhere for an account of a directory
   * @throws AccountHeld
   * @throws LastAdministrator
   */
  async ask(userId: string, language: Language): Promise<void> {
    const { policy, days } = await this.show(userId);
    if (policy === 'off' || policy === 'elsewhere') {
      throw policy === 'off' ? new DeletionIsOff() : new DecidedElsewhere();
    }
    await this.users.assertNotHeld(userId);
    const now = this.clock.now();
    const leavesAt = days === null ? null : new Date(now.getTime() + days * DAY_SECONDS * 1000);
    const occasion = leavesAt === null ? 'asked' : 'begun';
    const mail = await this.messages.mailOf(occasion, userId, { language, leavesAt });
    if (!(await this.leaving.ask(userId, now, leavesAt, mail))) {
      return;
    }
    const details = leavesAt?.toISOString() ?? 'an administrator decides';
    await this.events.record({ kind: 'deletion_requested', userId, details });
    if (leavesAt === null) {
      await this.messages.askAdministrators(userId);
    } else {
      await this.sessions.revokeAll(userId);
    }
  }

  /** @throws NotLeaving */
  async keep(userId: string, language?: Language, reason = ''): Promise<void> {
    const mail = await this.messages.mailOf('kept', userId, { language, reason });
    NotLeaving.unless(await this.leaving.keep(userId, mail));
    await this.events.record({ kind: 'deletion_cancelled', userId, details: reason || undefined });
    await this.messages.withdrawQuestion(userId);
  }

  /**
   * An administrator answers a request: deletes the account at once, or keeps it.
   *
   * @param reason a sentence for the owner; empty: none
   * @throws AccountNotFound
   * @throws NotLeaving if the owner does not ask any more
   * @throws AccountHeld
   * @throws LastAdministrator
   */
  async decide(
    administrator: Account,
    userId: string,
    answer: { readonly isGranted: boolean; readonly reason: string },
  ): Promise<void> {
    assertOther(administrator, userId, 'decide about your own account');
    const reason = answer.reason.trim();
    if (reason.length > LONGEST_REASON) {
      throw new InvalidReason(LONGEST_REASON);
    }
    await this.users.show(userId);
    if (!answer.isGranted) {
      await this.keep(userId, undefined, reason);
      await this.messages.tellRefusal(userId, reason);
      return;
    }
    await this.users.assertNotHeld(userId);
    NotLeaving.unless(await this.leaving.grant(userId, this.clock.now()));
    await this.messages.withdrawQuestion(userId);
    await this.#delete(userId, reason);
  }

  /** Deletes the accounts whose time has come; held ones wait. */
  @Regularly('leaving', 60)
  async deleteDue(): Promise<void> {
    const now = this.clock.nowSeconds();
    for (const { userId, leavesSeconds } of await this.leaving.list()) {
      if (leavesSeconds !== null && leavesSeconds <= now) {
        await this.#delete(userId, '').catch((error: Error) => {
          if (error instanceof DatabaseUnavailable) {
            throw error;
          }
          this.#logger.error(`Deleting "${userId}" failed, will retry: ${error.message}`);
        });
      }
    }
  }

  /** No-op if another process has begun it, the owner has kept the account, or it is held. */
  async #delete(userId: string, reason: string): Promise<void> {
    try {
      const mail = await this.messages.mailOf('ended', userId, { reason });
      if (await this.leaving.begin(userId, this.clock.now(), mail)) {
        this.#logger.log(`Deleting "${userId}", as the owner wished`);
        await this.deletions.delete(userId);
      }
    } catch (error) {
      // Another process has finished it.
      if (!(error instanceof AccountNotFound)) {
        throw error;
      }
    }
  }
}
