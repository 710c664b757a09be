import { Injectable } from '@nestjs/common';
import { UserAccounts } from '../../../common/ports/user-accounts.js';
import { AccountNotFound } from '../../platform.errors.js';
import { generatePassword } from '../../sign-in/passwords/generate-password.js';
import { assertUserId } from './user-id.js';
import { UsersService } from './users.service.js';

/** Accounts for the commands of other rooms. */
@Injectable()
export class UserAccountsService extends UserAccounts {
  readonly #users: UsersService;

  constructor(users: UsersService) {
    super();
    this.#users = users;
  }

  override async allUserIds(): Promise<string[]> {
    return (await this.#users.listAll()).map(({ userId }) => userId);
  }

  override async requireActive(userId: string): Promise<void> {
    if ((await this.#users.find(userId)) === null) {
      throw new AccountNotFound(userId);
    }
  }

  override assertUserId(userId: string): void {
    assertUserId(userId);
  }

  override async create(userId: string): Promise<string> {
    const password = generatePassword();
    await this.#users.add({ userId, password });
    return password;
  }
}
