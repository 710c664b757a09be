import { Get, Param } from '@nestjs/common';
import { CurrentUser } from '../../common/auth/current-user.decorator.js';
import { OcsFailure } from '../../common/ocs/envelope.js';
import { OcsController } from '../../common/ocs/ocs-controller.decorator.js';
import { UserDirectory, type Account } from '../../common/ports/user-directory.js';
import { toUserJson, type UserJson } from './wire.js';

/** Clients show the name behind a log-in, and take the answer for proof that it works. */
@OcsController('cloud')
export class UsersController {
  constructor(private readonly directory: UserDirectory) {}

  @Get('user')
  showSelf(@CurrentUser() account: Account): UserJson {
    return toUserJson(account);
  }

  /** Of others only an administrator learns anything, not even whether they exist. */
  @Get('users/:userId')
  async show(@CurrentUser() account: Account, @Param('userId') userId: string): Promise<UserJson> {
    if (userId === account.userId) {
      return toUserJson(account);
    }
    const other = account.isAdmin ? await this.directory.find(userId) : null;
    if (other === null) {
      throw new OcsFailure(404, 'User does not exist');
    }
    return toUserJson(other);
  }
}
