import { entityOf, p } from '../../../database/entity-of.js';

/** An authenticator app of a user (TOTP, RFC 6238). */
export class TotpFactorEntity extends entityOf('totp_factor', {
  userId: p.text().primary(),
  /** In base32, sealed by `SecretBox`. */
  sealedSecret: p.blob().$type<Buffer>(),
  /** Null until the first code was entered. */
  confirmedAt: p.datetime().strictNullable(),
  /** Time step of the latest accepted code; half minutes since 1970. */
  lastStep: p.bigint('number').default(0),
}) {}

/** A recovery code that was not used yet. */
export class RecoveryCodeEntity extends entityOf('recovery_code', {
  userId: p.text().primary(),
  /** SHA-256. */
  codeHash: p.blob().$type<Buffer>().primary(),
}) {}

/** A passkey of a user (WebAuthn). */
export class PasskeyEntity extends entityOf('passkey', {
  id: p.bigint('number').primary().autoincrement().generated('identity'),
  userId: p.text(),
  /** Chosen by the authenticator; unique. */
  credentialId: p.blob().$type<Buffer>(),
  /** In COSE form. */
  publicKey: p.blob().$type<Buffer>(),
  /** Host name for which the authenticator made it; it works nowhere else. */
  rpId: p.text(),
  /** Transports of the authenticator, for instance `usb`. */
  transports: p.array().$type<string[]>(),
  name: p.text(),
  /** Always 0 for authenticators that do not count. */
  signatureCount: p.bigint('number'),
  /** Time of the challenge of the latest accepted answer, in Unix milliseconds. */
  lastChallengeMs: p.bigint('number').default(0),
  createdAt: p.datetime(),
  lastUsedAt: p.datetime().strictNullable(),
}) {}
