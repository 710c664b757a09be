import { z } from 'zod';

/** Either the password of the account, or a code. */
export const ProofInput = z.object({
  password: z.string().max(4096).optional(),
  code: z.string().max(200).optional(),
});
