import { Injectable, Logger } from '@nestjs/common';
import { AdministrationLog } from '../../../common/ports/administration-log.js';
import { LastAdministrator } from '../../platform.errors.js';
import { isAdminGroup } from '../users/account-rights.js';
import type { GroupManager } from '../users/account.entity.js';
import type { AccountRow } from '../users/users.repository.js';
import { UsersService } from '../users/users.service.js';
import { GroupsRepository } from './groups.repository.js';
import { isGroupWord } from './groups.service.js';

/** Limit per user; further groups are ignored. */
const MOST_GROUPS = 200;

/**
 * Groups that a directory manages. Groups and memberships that were made here, or by another
 * directory, are never changed; the administrators' group is none of them.
 */
@Injectable()
export class ManagedGroupsService {
  readonly #logger = new Logger('Groups');

  constructor(
    private readonly groups: GroupsRepository,
    private readonly log: AdministrationLog,
    private readonly users: UsersService,
  ) {}

  /**
   * Makes the user a member of exactly these groups of the directory. Creates missing groups.
   *
   * @param names in the directory; names that cannot be ids of groups are skipped, and logged
   */
  async follow(manager: GroupManager, userId: string, names: readonly string[]): Promise<void> {
    const ids = this.#usable(manager, userId, names);
    const { created, joined, left, foreign } = await this.groups.follow(manager, userId, ids);
    if (foreign.length > 0) {
      this.#logger.warn(
        `${userId} is in ${listed(foreign)} at ${manager}, but groups of that name were made here: delete them, or set a prefix`,
      );
    }
    for (const id of created) {
      await this.log.record({ kind: 'group_created', subject: { kind: 'group', id } });
    }
    for (const id of joined) {
      await this.log.record({ kind: 'group_joined', subject: { kind: 'group', id }, userId });
    }
    for (const id of left) {
      await this.log.record({ kind: 'group_left', subject: { kind: 'group', id }, userId });
    }
  }

  /** Grants or revokes administrator rights as the directory says; the last administrator keeps them. */
  async followRights(
    { userId, isAdmin }: Pick<AccountRow, 'userId' | 'isAdmin'>,
    belongs: boolean,
  ): Promise<void> {
    if (belongs === isAdmin) {
      return;
    }
    try {
      await (belongs
        ? this.users.makeAdministrator(userId)
        : this.users.unmakeAdministrator(userId));
    } catch (error) {
      if (!(error instanceof LastAdministrator)) {
        throw error;
      }
      this.#logger.warn(`${userId} remains an administrator: the last one`);
    }
  }

  #usable(manager: GroupManager, userId: string, names: readonly string[]): string[] {
    const distinct = [...new Set(names)];
    const usable = distinct.filter((name) => isGroupWord(name) && !isAdminGroup(name));
    const unusable = distinct.filter((name) => !isGroupWord(name));
    if (unusable.length > 0) {
      this.#logger.warn(
        `${userId} is in ${unusable.length} groups at ${manager} whose names cannot be used`,
      );
    }
    if (usable.length > MOST_GROUPS) {
      this.#logger.warn(
        `${userId} is in ${usable.length} groups at ${manager}, of which ${MOST_GROUPS} are used`,
      );
    }
    return usable.toSorted().slice(0, MOST_GROUPS);
  }
}

function listed(ids: readonly string[]): string {
  return ids.map((id) => `"${id}"`).join(', ');
}
