import { Injectable } from '@nestjs/common';
import {
  InstallationChecks,
  type CheckFinding,
} from '../../../common/ports/installation-checks.js';
import { UsersRepository } from '../../accounts/users/users.repository.js';
import { SignInSettings } from '../sign-in.settings.js';

/** Reports whose passwords are taken although those of others are not, for `gatefold doctor`. */
@Injectable()
export class PasswordLoginCheck {
  constructor(
    private readonly settings: SignInSettings,
    private readonly users: UsersRepository,
    checks: InstallationChecks,
  ) {
    checks.add('Passwords of accounts', () => this.#examine());
  }

  async #examine(): Promise<CheckFinding[]> {
    const { passwordLogin, passwordLoginFor: names } = this.settings;
    if (passwordLogin) {
      return [];
    }
    const except = names.length === 0 ? '' : `, except those of ${names.join(', ')}`;
    const said = `Passwords of accounts are not taken${except} (GATEFOLD_PASSWORD_LOGIN=off).`;
    const found = await Promise.all(names.map(async (name) => this.#fault(name)));
    return [{ state: 'ok', text: said }, ...found.flat()];
  }

  async #fault(name: string): Promise<CheckFinding[]> {
    const account = await this.users.find(name);
    if (account === null || account.disabled) {
      const text = `GATEFOLD_PASSWORD_LOGIN_FOR names ${name}, which is no account that can log in.`;
      return [{ state: 'error', text, advice: 'Correct the name, or enable the account.' }];
    }
    if (!account.hasSecondFactor) {
      const text = `The account ${name}, whose password is taken, has no second factor.`;
      return [{ state: 'warning', text, advice: 'Its owner sets one up in the settings.' }];
    }
    return [];
  }
}
