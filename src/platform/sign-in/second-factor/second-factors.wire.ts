import { z } from 'zod';
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
