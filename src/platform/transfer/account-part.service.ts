import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { DomainError } from '../../common/errors/domain-error.js';
import {
  AccountTransferParts,
  jsonEntry,
  linesEntry,
  type TransferEntry,
  type TransferNotes,
  type TransferSource,
  type TransferWish,
} from '../../common/ports/account-transfer.js';
import { GroupsService } from '../accounts/groups/groups.service.js';
import { AREA_NAMES } from '../accounts/preferences/preference-fields.js';
import { PreferencesService } from '../accounts/preferences/preferences.service.js';
import { toEventJson } from '../accounts/security/event-json.js';
import { SecurityEventsService } from '../accounts/security/security-events.service.js';
import { UsersService } from '../accounts/users/users.service.js';
import { AppPasswordsService } from '../sign-in/app-passwords/app-passwords.service.js';
import { SessionsService } from '../sign-in/sessions/sessions.service.js';

const LINES_AT_ONCE = 200;

const Account = z.object({ displayName: z.string() });
const Preferences = z.record(z.string(), z.record(z.string(), z.unknown()));

/** Preferences that name feeds, folders and articles by numbers, which mean others in another service. */
const BY_IDS = new Set(['closedFolderIds', 'originalFeedIds', 'orderOf', 'current', 'queue']);

/** The account itself in its archive: who it is, how it logs in, what was recorded of it, and its settings. */
@Injectable()
export class AccountPart {
  constructor(
    private readonly users: UsersService,
    private readonly groups: GroupsService,
    private readonly appPasswords: AppPasswordsService,
    private readonly sessions: SessionsService,
    private readonly events: SecurityEventsService,
    private readonly preferences: PreferencesService,
    parts: AccountTransferParts,
  ) {
    parts.addExport((...given) => this.#entries(...given));
    parts.addImport((...given) => this.#takeIn(...given));
  }

  async *#entries({ userId }: TransferWish, notes: TransferNotes): AsyncGenerator<TransferEntry> {
    yield jsonEntry('account.json', () => this.#account(userId));
    yield linesEntry('audit.ndjson', () => this.#audit(userId, notes));
    yield jsonEntry('preferences.json', async () => {
      const areas = Object.entries(await this.preferences.all(userId));
      return Object.fromEntries(areas.map(([area, { values }]) => [area, values]));
    });
    notes.leaveOut(
      'closed folders, orders of single lists and the queue of the player on the way back',
      'They are kept by numbers, which mean other things in another service.',
    );
    notes.leaveOut(
      'passwords and second factors',
      'They are stored so that nobody can read them. Only the names of app passwords are here.',
    );
  }

  async #account(userId: string): Promise<object> {
    const { displayName, email, isAdmin, hasSecondFactor } = await this.users.show(userId);
    const groups = await this.groups.groupsOf([userId]);
    const appPasswords = await this.appPasswords.list(userId);
    const sessions = await this.sessions.list(userId);
    return {
      user: userId,
      displayName,
      email,
      isAdmin,
      hasSecondFactor,
      groups: groups.get(userId) ?? [],
      appPasswords: appPasswords.map(({ name, scope, createdAt, lastUsedAt, expiresAt }) => ({
        name,
        scope,
        created: secondsOf(createdAt),
        lastUsed: secondsOf(lastUsedAt),
        expires: secondsOf(expiresAt),
      })),
      sessions: sessions.map(({ userAgent, address, createdSeconds, lastSeenSeconds }) => ({
        userAgent,
        address,
        created: createdSeconds,
        lastSeen: lastSeenSeconds,
      })),
    };
  }

  /** The name and the preferences, as far as the user has not chosen others. */
  async #takeIn(
    userId: string,
    source: TransferSource,
    leaveOut: TransferNotes['leaveOut'],
  ): Promise<void> {
    const account = Account.safeParse(await source.json('account.json')).data;
    const { displayName } = await this.users.show(userId);
    if (account !== undefined && displayName === userId) {
      await this.#orLeftOut(leaveOut, 'your name', () =>
        this.users.changeDisplayName(userId, account.displayName),
      );
    }
    const preferences = Preferences.safeParse(await source.json('preferences.json')).data ?? {};
    const present = await this.preferences.all(userId);
    for (const area of AREA_NAMES) {
      const { values, version } = present[area];
      const wanted = withoutIds(preferences[area] ?? {});
      if (isDeepStrictEqual({ ...values, ...wanted }, values)) {
        continue;
      }
      if (version > 0) {
        leaveOut(`preferences of "${area}"`, 'You have chosen others here, which stay.');
      } else {
        await this.#orLeftOut(leaveOut, `preferences of "${area}"`, () =>
          this.preferences.change(userId, area, wanted),
        );
      }
    }
  }

  async #orLeftOut(
    leaveOut: TransferNotes['leaveOut'],
    what: string,
    work: () => Promise<unknown>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof DomainError)) {
        throw error;
      }
      leaveOut(what, error.message);
    }
  }

  /** Who else did something to the account, and from where, is theirs and not told. */
  async *#audit(userId: string, notes: TransferNotes): AsyncGenerator<object[]> {
    let batch: object[] = [];
    for await (const event of this.events.ofUser(userId)) {
      const { id: _id, actorDeleted: _deleted, userDeleted: _gone, ...entry } = toEventJson(event);
      const isOwn = event.actorId === null || event.actorId === userId;
      batch.push(isOwn ? entry : { ...entry, actor: null, address: null, credential: null });
      if (batch.length === LINES_AT_ONCE) {
        notes.count('entries of the log', batch.length);
        yield batch;
        batch = [];
      }
    }
    notes.count('entries of the log', batch.length);
    yield batch;
  }
}

function withoutIds(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !BY_IDS.has(name)));
}

function secondsOf(time: Date | null): number | null {
  return time && Math.floor(time.getTime() / 1000);
}
