import { z } from 'zod';

/** Bytes in base64url; browsers send at most some hundred, attestations a few thousand. */
const bytes = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^[A-Za-z0-9_-]*$/, 'must be in base64url');

const credential = {
  id: bytes(1400),
  rawId: bytes(1400),
  type: z.literal('public-key'),
  clientExtensionResults: z.object({}).default({}),
};

/** Result of `PublicKeyCredential.toJSON()` after `navigator.credentials.create`. */
export const RegistrationInput = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes(4000),
    attestationObject: bytes(20_000),
    transports: z.array(z.string().max(32)).max(8).default([]),
  }),
});

/** Result of `PublicKeyCredential.toJSON()` after `navigator.credentials.get`. */
const PasskeyAnswerInput = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes(4000),
    authenticatorData: bytes(4000),
    signature: bytes(10_000),
  }),
});

/** The password of the account, a code, or the answer of a passkey. */
export const ProofInput = z.object({
  password: z.string().max(4096).optional(),
  code: z.string().max(200).optional(),
  passkey: PasskeyAnswerInput.optional(),
});

/** The answer as JSON text in a field of a form. */
export const PasskeyAnswerField = z
  .string()
  .max(30_000)
  .transform((text, context) => {
    const parsed = PasskeyAnswerInput.safeParse(jsonOf(text));
    if (!parsed.success) {
      context.addIssue({ code: 'custom', message: 'must be the answer of an authenticator' });
      return z.NEVER;
    }
    return parsed.data;
  });

export const PasskeyName = z.string().trim().min(1, 'must not be empty').max(100);

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
