import { z } from 'zod';
import { PasskeyAnswerInput } from './passkeys/passkeys.input.js';

/** The password of the account, a code, or the answer of a passkey. */
export const ProofInput = z.object({
  password: z.string().max(4096).optional(),
  code: z.string().max(200).optional(),
  passkey: PasskeyAnswerInput.optional(),
});
