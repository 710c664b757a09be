import { Injectable } from '@nestjs/common';
import { SealedValues } from '../../../common/ports/sealed-values.js';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { isSameSecret } from '../../../common/secrets/token-hash.js';
import { ChannelsRepository } from './channels.repository.js';
import type { ChannelAddress } from './notice-channel.js';
import type { ChannelKind } from './notice.entities.js';

const SEALED_FOR = 'address of a notice channel';

const NOWHERE: ChannelAddress = {
  url: '',
  secret: '',
  recipient: '',
  clientId: '',
  clientSecret: '',
  p256dh: '',
  auth: '',
  appId: '',
};

/**
 * Seals the addresses of channels, since topics, tokens and paths of webhooks are secrets, and makes the tokens
 * of buttons: whoever has one can mark the one article of a notice read or starred.
 */
@Injectable()
export class ChannelBox {
  constructor(
    private readonly secretBox: SecretBox,
    private readonly channels: ChannelsRepository,
    sealed: SealedValues,
  ) {
    sealed.register({
      what: 'addresses of notice channels',
      remedy: 'They are removed. Users add their channels again.',
      lost: async () => (await this.#lost()).map(({ userId, name }) => `${userId}: ${name}`),
      replaceLost: async () => {
        for (const { readerId, id } of await this.#lost()) {
          await this.channels.remove(readerId, id);
        }
      },
    });
  }

  readonly nowhere = NOWHERE;

  seal(address: ChannelAddress): Buffer {
    return this.secretBox.seal(JSON.stringify(address), SEALED_FOR);
  }

  /** Of a channel sealed by this service. */
  open({ sealed }: { readonly sealed: Uint8Array }): ChannelAddress {
    const opened = JSON.parse(this.secretBox.open(sealed, SEALED_FOR)) as Partial<ChannelAddress>;
    return { ...NOWHERE, ...opened };
  }

  opens({ sealed }: { readonly sealed: Uint8Array }): boolean {
    return this.secretBox.opens(sealed, SEALED_FOR);
  }

  /** Equal for channels that lead to the same place. */
  keyOf(kind: ChannelKind, { url, recipient, appId }: ChannelAddress): Buffer {
    return this.secretBox.digest([kind, url, recipient, appId].join('\0'), SEALED_FOR);
  }

  tokenOf(readerId: number, noticeId: number): string {
    const mac = this.secretBox.digest(`${readerId} ${noticeId}`, 'buttons of a notice');
    return `${readerId}-${noticeId}-${mac.toString('base64url').slice(0, 24)}`;
  }

  /** @returns null for what is no token */
  readToken(token: string): { readonly readerId: number; readonly noticeId: number } | null {
    const [, readerId = 0, noticeId = 0] = (/^(\d{1,15})-(\d{1,15})-/.exec(token) ?? []).map(
      Number,
    );
    return isSameSecret(token, this.tokenOf(readerId, noticeId)) ? { readerId, noticeId } : null;
  }

  async #lost() {
    const all = await this.channels.listSealed();
    return all.filter((channel) => !this.opens(channel));
  }
}
