import { entityOf, p } from '../../../../database/entity-of.js';

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
  /** How browsers reach the authenticator, for instance `usb`. */
  transports: p.array().$type<string[]>(),
  name: p.text(),
  /** Always 0 for authenticators that do not count. */
  signatureCount: p.bigint('number'),
  /** When the challenge of the latest accepted answer was made, in Unix milliseconds. */
  lastChallengeMs: p.bigint('number').default(0),
  createdAt: p.datetime(),
  lastUsedAt: p.datetime().strictNullable(),
}) {}
