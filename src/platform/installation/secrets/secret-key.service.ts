import { Injectable } from '@nestjs/common';
import { StartRefused } from '../../../common/errors/start-refused.js';
import { SealedValues } from '../../../common/ports/sealed-values.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { SecretKeyRepository } from './secret-key.repository.js';

/** Sealed values of one kind that the present key cannot open. */
export interface LostValues {
  /** A noun in the plural. */
  readonly what: string;
  readonly names: readonly string[];
  /** How the operator restores them. */
  readonly remedy: string;
}

/** Makes sure that all processes on a database seal with the same key. */
@Injectable()
export class SecretKeyService {
  constructor(
    private readonly keys: SecretKeyRepository,
    private readonly secretBox: SecretBox,
    private readonly sealed: SealedValues,
  ) {}

  /**
   * Call before the first request. The first start stores the fingerprint of its key.
   *
   * @throws StartRefused when the key of this process is not the one of the database
   */
  async assertKeyIsRight(): Promise<void> {
    const own = this.secretBox.fingerprint;
    const known = (await this.keys.fingerprint()) ?? (await this.#adopt(own));
    if (known !== own) {
      throw new StartRefused(
        `The secret key of this process (${own}) is not the one of the database ` +
          `(${known}). Restore that key: the file secret.key of the data folder, or ` +
          'GATEFOLD_SECRET_KEY. If it is lost, "gatefold secrets:reset" lists what that means.',
      );
    }
  }

  /** Fingerprint of the key that sealed the database. @returns null before the first start */
  async knownFingerprint(): Promise<string | null> {
    return this.keys.fingerprint();
  }

  /** Sealed values that the present key cannot open; kinds without any are omitted. */
  async lost(): Promise<LostValues[]> {
    const found: LostValues[] = [];
    for (const kind of this.sealed.kinds()) {
      const names = await kind.lost();
      if (names.length > 0) {
        found.push({ what: kind.what, names, remedy: kind.remedy });
      }
    }
    return found;
  }

  /**
   * Accepts the present key for the database, and discards the values that it cannot open.
   *
   * @returns the discarded values
   */
  async reset(): Promise<LostValues[]> {
    const lost = await this.lost();
    for (const kind of this.sealed.kinds()) {
      await kind.replaceLost();
    }
    await this.keys.accept(this.secretBox.fingerprint);
    return lost;
  }

  /** A database from before fingerprints may have been restored without its key. */
  async #adopt(own: string): Promise<string> {
    if ((await this.lost()).length > 0) {
      return 'unknown';
    }
    await this.keys.acceptFirst(own);
    return (await this.keys.fingerprint()) ?? own;
  }
}
