import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../../common/secrets/secret-box.js';
import { isSameSecret } from '../../../common/secrets/token-hash.js';

const PURPOSE = 'buttons of a notice';
const MAC_BYTES = 18;

/** Tokens for the buttons of a notice: whoever has one can mark its one article read or starred. */
@Injectable()
export class NoticeTokens {
  constructor(private readonly secretBox: SecretBox) {}

  of(readerId: number, noticeId: number): string {
    const mac = this.secretBox.digest(`${readerId} ${noticeId}`, PURPOSE).subarray(0, MAC_BYTES);
    return `${readerId}-${noticeId}-${mac.toString('base64url')}`;
  }

  /** @returns null for what is no token */
  read(token: string): { readonly readerId: number; readonly noticeId: number } | null {
    const [, readerId = 0, noticeId = 0] = (/^(\d{1,15})-(\d{1,15})-/.exec(token) ?? []).map(
      Number,
    );
    return isSameSecret(token, this.of(readerId, noticeId)) ? { readerId, noticeId } : null;
  }
}
