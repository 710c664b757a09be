import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { AddressNotAllowed, OutgoingHttpError } from '../../../common/http/outgoing-errors.js';
import { OutgoingHttp } from '../../../common/http/outgoing-http.js';
import { readRetryAfter } from '../../sources/fetch/caching-headers.js';
import { later, refused, SENT, type ChannelAddress, type Sent } from './notice-channel.js';
import type { NoticeMessage } from './notice-message.js';
import type { WebhookForm } from './notice.entities.js';
import { FORMS, shortened } from './webhook-forms.js';

const LARGEST_ANSWER_BYTES = 64 * 1024;

interface Posted {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Posts messages to the webhooks of users, in the form that each wants. */
@Injectable()
export class Webhooks {
  /** Standard Webhooks: 15 to 30. */
  answerSeconds = 15;

  constructor(
    private readonly outgoing: OutgoingHttp,
    private readonly clock: Clock,
  ) {}

  async send(
    message: NoticeMessage,
    form: WebhookForm,
    address: ChannelAddress,
    signal?: AbortSignal,
  ): Promise<Sent> {
    const inForm = (what: NoticeMessage) => FORMS[form](what, address, this.clock.now());
    return this.post(inForm(message), signal, {
      onTooLarge: () => inForm(shortened(message)),
      onGone: 'is off',
    });
  }

  /**
   * Posts to an address of a user, by the policy for addresses of users and without redirects.
   *
   * @param onTooLarge the shorter request, which is sent once after 413
   * @param onGone what happens to the channel after 410; `is removed` also after 404
   */
  async post(
    { url, headers, body }: Posted,
    signal: AbortSignal | undefined,
    given: { readonly onTooLarge: () => Posted; readonly onGone: 'is off' | 'is removed' },
    isShort = false,
  ): Promise<Sent> {
    const { host } = new URL(url);
    try {
      const { status, headers: answered } = await this.outgoing.request({
        url,
        method: 'POST',
        headers,
        body,
        timeoutSeconds: this.answerSeconds,
        maxRedirects: 0,
        maxWireBytes: LARGEST_ANSWER_BYTES,
        discardsBody: true,
        signal,
      });
      if (status >= 200 && status < 300) {
        return SENT;
      }
      if (status === 413 && !isShort) {
        return await this.post(given.onTooLarge(), signal, given, true);
      }
      const error = `The server at ${host} answered with status ${status}.`;
      if (status === 410 || (status === 404 && given.onGone === 'is removed')) {
        return refused(error, given.onGone);
      }
      if (status >= 300 && status < 400) {
        return later(`The server at ${host} redirects, which is not followed.`);
      }
      const isForNow = status === 429 || status >= 500 || given.onGone === 'is off';
      return isForNow && status !== 413
        ? later(error, readRetryAfter(answered, this.clock.nowSeconds()))
        : refused(error);
    } catch (error) {
      if (!(error instanceof OutgoingHttpError)) {
        throw error;
      }
      return error instanceof AddressNotAllowed ? refused(error.message) : later(error.message);
    }
  }
}
