import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { PublicAddress } from '../../../common/config/public-address.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { IconsRepository, type Icon } from '../../sources/favicons/icons.repository.js';

/** 144 bits. */
const SIGNATURE_BYTES = 18;

export const ICONS_PATH = 'reader/icons';

/**
 * Icons of feeds at addresses that need no credentials, since clients load them without. They are signed,
 * so that the users' feeds cannot be guessed.
 */
@Injectable()
export class FeedIcons {
  readonly #key: Buffer;

  constructor(
    secrets: SecretBox,
    private readonly address: PublicAddress,
    private readonly icons: IconsRepository,
  ) {
    this.#key = secrets.keyFor('addresses of icons');
  }

  /**
   * The absolute address of an icon, for the answer to a request; empty without one. Another icon has
   * another address.
   */
  addressOf(iconId: number | null, request: Pick<Request, 'protocol' | 'host'>): string {
    if (iconId === null) {
      return '';
    }
    const signature = this.#signature(iconId).toString('base64url');
    return `${this.address.rootFor(request)}/${ICONS_PATH}/${iconId}/${signature}`;
  }

  /** @returns null for a wrong signature or an unknown icon */
  async find(iconId: string, signature: string): Promise<Icon | null> {
    const id = /^[1-9]\d{0,14}$/.test(iconId) ? Number(iconId) : 0;
    const given = Buffer.from(signature, 'base64url');
    const isSigned =
      given.length === SIGNATURE_BYTES && timingSafeEqual(given, this.#signature(id));
    return isSigned ? this.icons.byId(id) : null;
  }

  #signature(iconId: number): Buffer {
    return createHmac('sha256', this.#key)
      .update(String(iconId))
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  }
}
