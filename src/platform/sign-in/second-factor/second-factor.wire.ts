import { z } from 'zod';
import type { PasskeyPlace } from '../forms/passkey-place.service.js';
import type { Passkey } from './passkeys/passkeys.service.js';
import type { SecondFactors } from './second-factors.service.js';

export const SecondFactorsAnswer = z.object({
  totp: z
    .object({ since: z.int().describe('Unix seconds.') })
    .nullable()
    .describe('The authenticator app; null without one.'),
  recoveryCodesLeft: z.int(),
});

export const TotpEnrolmentAnswer = z.object({
  secret: z.string().describe('In base32.'),
  address: z.string().describe('otpauth: address, for a QR code.'),
});

export const RecoveryCodesAnswer = z.object({
  recoveryCodes: z.array(z.string()).describe('Shown only now.'),
});

export function toSecondFactorsJson({ totpSince, recoveryCodesLeft }: SecondFactors) {
  return {
    totp: totpSince && { since: Math.floor(totpSince.getTime() / 1000) },
    recoveryCodesLeft,
  };
}

export const PasskeysAnswer = z.array(
  z.object({
    id: z.int(),
    name: z.string(),
    host: z.string().describe('Host name of the installation when it was added.'),
    works: z.boolean().describe('False after the host name of the installation was changed.'),
    created: z.int().describe('Unix seconds.'),
    lastUsed: z.int().nullable().describe('Unix seconds; null before the first use.'),
  }),
);

/** Fields of WebAuthn, level 3: `PublicKeyCredentialCreationOptionsJSON`. */
export const CreationOptionsAnswer = z.looseObject({
  challenge: z.string(),
  rp: z.looseObject({ id: z.string().optional(), name: z.string() }),
  user: z.looseObject({ id: z.string(), name: z.string(), displayName: z.string() }),
});

/** Fields of WebAuthn, level 3: `PublicKeyCredentialRequestOptionsJSON`. */
export const RequestOptionsAnswer = z.looseObject({
  challenge: z.string(),
  rpId: z.string().optional(),
});

/** @param place null where there are no passkeys */
export function toPasskeyJson(passkey: Passkey, place: PasskeyPlace | null) {
  const { id, name, rpId, createdAt, lastUsedAt } = passkey;
  return {
    id,
    name,
    host: rpId,
    works: rpId === place?.rpId,
    created: Math.floor(createdAt.getTime() / 1000),
    lastUsed: lastUsedAt && Math.floor(lastUsedAt.getTime() / 1000),
  };
}
