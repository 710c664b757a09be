import { z } from 'zod';
import { wholeNumber, settings } from '../../common/config/settings.js';

export class SignInSettings extends settings('GATEFOLD_', {
  GATEFOLD_LONGEST_APP_PASSWORD_DAYS: wholeNumber(0, 3650)
    .default(0)
    .describe('Days after which a new app password ends at the latest; 0: never'),
  GATEFOLD_SECOND_FACTOR: z
    .enum(['optional', 'administrators', 'required'])
    .default('optional')
    .describe(
      'Who needs a second factor to log in with a password: nobody, administrators or everybody; who has none sets one up at the next login',
    ),
  GATEFOLD_INVITATION_DAYS: wholeNumber(1, 90)
    .default(7)
    .describe('Days for which the link of an invitation is valid'),
}) {}
