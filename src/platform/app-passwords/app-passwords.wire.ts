import { z } from 'zod';

const seconds = z.int().describe('Unix seconds.');

export const AppPasswordsAnswer = z.array(
  z.object({
    id: z.int(),
    name: z.string(),
    administration: z.boolean(),
    fever: z.boolean(),
    created: seconds,
    lastUsed: seconds.nullable(),
  }),
);

export const NewAppPasswordAnswer = z.object({
  id: z.int(),
  name: z.string(),
  administration: z.boolean(),
  fever: z.boolean(),
  loginName: z.string(),
  token: z.string().describe('Shown only now.'),
});

export const SwappedPasswordAnswer = z.object({ apppassword: z.string() });
