import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { SealedValues } from '../../common/ports/sealed-values.js';
import { SecretBox } from '../../common/secrets/secret-box.js';
import { hashOf } from '../../common/secrets/token-hash.js';
import { FeedsOutRepository, type StoredToken } from './feeds-out.repository.js';

const SEALED_FOR = 'address of a published list';

const TOKEN_BYTES = 24;

/**
 * Tokens of published lists. They are found by their hash, and sealed so that their users can see the address again:
 * the database alone opens no list.
 */
@Injectable()
export class ListTokens {
  constructor(
    private readonly box: SecretBox,
    private readonly lists: FeedsOutRepository,
    sealed: SealedValues,
  ) {
    sealed.register({
      what: 'addresses of published lists',
      remedy: 'They are taken back. Users publish their lists again.',
      lost: async () => (await this.#lost()).map(({ userId, id }) => `${userId}: ${id}`),
      replaceLost: async () => {
        for (const { id } of await this.#lost()) {
          await this.lists.remove(id);
        }
      },
    });
  }

  make(): StoredToken {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    return { hash: hashOf(token), sealed: this.box.seal(token, SEALED_FOR) };
  }

  open({ sealed }: { readonly sealed: Uint8Array }): string {
    return this.box.open(sealed, SEALED_FOR);
  }

  async #lost() {
    const all = await this.lists.listSealed();
    return all.filter(({ sealed }) => !this.box.opens(sealed, SEALED_FOR));
  }
}
