import { z } from 'zod';
import { APP_PASSWORD_SCOPES } from '../../../common/ports/app-password-scope.js';

const seconds = z.int().describe('Unix seconds.');
const scope = z.enum(APP_PASSWORD_SCOPES);
const expires = seconds.nullable().describe('Unix seconds; null: until it is revoked.');

export const AppPasswordsAnswer = z.array(
  z.object({
    id: z.int(),
    name: z.string(),
    administration: z.boolean(),
    fever: z.boolean(),
    created: seconds,
    lastUsed: seconds.nullable(),
    scope,
    expires,
  }),
);

export const NewAppPasswordAnswer = z.object({
  id: z.int(),
  name: z.string(),
  administration: z.boolean(),
  fever: z.boolean(),
  scope,
  expires,
  loginName: z.string(),
  token: z.string().describe('Shown only now.'),
});

export const SwappedPasswordAnswer = z.object({ apppassword: z.string() });
