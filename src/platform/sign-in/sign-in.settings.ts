import { z } from 'zod';
import type { Config } from '../../common/config/config.js';
import { list, onOff, readBy, settings, wholeNumber } from '../../common/config/settings.js';

const DELETIONS = /^(?:off|ask|[1-9]\d?|[12]\d\d|3[0-5]\d|36[0-5])$/;

export class SignInSettings extends settings('GATEFOLD_', {
  GATEFOLD_LONGEST_APP_PASSWORD_DAYS: wholeNumber(0, 3650)
    .default(0)
    .describe('Days after which a new app password ends at the latest; 0: never'),
  GATEFOLD_PASSWORD_LOGIN: onOff
    .default(true)
    .describe(
      'Take passwords of accounts; off: people log in elsewhere, and programs with app passwords; see operations/identity.md',
    )
    .meta({
      needsOneOf: ['GATEFOLD_OIDC_ISSUER', 'GATEFOLD_LDAP_URL', 'GATEFOLD_TRUSTED_LOGIN_HEADER'],
    }),
  GATEFOLD_PASSWORD_LOGIN_FOR: list
    .default([])
    .describe('Users whose passwords are taken all the same, for emergencies')
    .meta({ needs: 'GATEFOLD_PASSWORD_LOGIN' }),
  GATEFOLD_SECOND_FACTOR: z
    .enum(['optional', 'administrators', 'required'])
    .default('optional')
    .describe(
      'Who needs a second factor to log in with a password: nobody, administrators or everybody; who has none sets one up at the next login',
    ),
  GATEFOLD_INVITATION_DAYS: wholeNumber(1, 90)
    .default(7)
    .describe('Days for which the link of an invitation is valid'),
  GATEFOLD_ACCOUNT_DELETION: readBy((given) => {
    if (!DELETIONS.test(given)) {
      throw new Error('must be off, ask, or a number of days from 1 to 365');
    }
    return given === 'off' || given === 'ask' ? given : Number(given);
  })
    .default(14)
    .describe(
      'Whether people may delete their own accounts: `off`, `ask` (an administrator decides), or the days after which it happens, in which they can keep them',
    ),
}) {
  /** Whether the password that this service keeps of an account is taken. */
  takesPasswordOf(userId: string): boolean {
    return this.passwordLogin || this.passwordLoginFor.includes(userId);
  }

  /** Whether it is taken of anybody. */
  get takesPasswords(): boolean {
    return this.passwordLogin || this.passwordLoginFor.length > 0;
  }
}

/** Whether it is of use to ask a user for a password: that of the account, or one of the directory. */
export function mayHavePassword(userId: string, config: Config): boolean {
  return config.parts.has('ldap') || config.of(SignInSettings).takesPasswordOf(userId);
}
