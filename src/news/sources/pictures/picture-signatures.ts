import { Injectable } from '@nestjs/common';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { SecretBox } from '../../../common/secrets/secret-box.js';

/** 144 bits. */
const SIGNATURE_BYTES = 18;

/**
 * Signs addresses of pictures for one user, so that neither other websites nor links of other users can
 * make this service load anything.
 */
@Injectable()
export class PictureSignatures {
  readonly #key: Buffer;

  constructor(secrets: SecretBox) {
    this.#key = secrets.keyFor('addresses of pictures');
  }

  sign(userId: string, address: string): string {
    return this.#signature(userId, address).toString('base64url');
  }

  isValid(userId: string, address: string, signature: string): boolean {
    const given = Buffer.from(signature, 'base64url');
    return (
      given.length === SIGNATURE_BYTES && timingSafeEqual(given, this.#signature(userId, address))
    );
  }

  #signature(userId: string, address: string): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([userId, address]))
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  }
}
