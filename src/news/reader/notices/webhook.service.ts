import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { AddressNotAllowed, OutgoingHttpError } from '../../../common/http/outgoing-errors.js';
import { OutgoingHttp } from '../../../common/http/outgoing-http.js';
import { readRetryAfter } from '../../sources/fetch/caching-headers.js';
import { later, refused, SENT, type ChannelAddress, type Sent } from './notice-channel.js';
import type { NoticeMessage } from './notice-message.js';
import type { SavingForm, TellingForm, WebhookForm } from './notice.entities.js';
import { SAVING, savingFormOf } from './saving-forms.js';
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
    const saving = savingFormOf(form);
    if (saving !== null) {
      return this.#save(message, saving, address, signal);
    }
    const inForm = (what: NoticeMessage) =>
      FORMS[form as TellingForm](what, address, this.clock.now());
    return this.post(inForm(message), signal, {
      onTooLarge: () => inForm(shortened(message)),
      onGone: 'is off',
    });
  }

  /** Keeps the article of a message; for trial, the page of the reader. */
  async #save(
    { items: [item], title, readerUrl }: NoticeMessage,
    form: SavingForm,
    address: ChannelAddress,
    signal: AbortSignal | undefined,
  ): Promise<Sent> {
    const { logIn, save } = SAVING[form];
    const secret = logIn === undefined ? address.secret : await this.#logIn(logIn(address), signal);
    if (typeof secret !== 'string') {
      return secret;
    }
    const page = { url: item?.url ?? item?.readerUrl ?? readerUrl, title: item?.title ?? title };
    const request = save(page, { ...address, secret }, this.clock.now());
    return this.post(request, signal, {
      onTooLarge: () => request,
      onGone: 'is off',
      isThereStatus: 409,
    });
  }

  /** @returns the token, or why there is none */
  async #logIn(request: Posted, signal: AbortSignal | undefined): Promise<string | Sent> {
    let token: unknown;
    const sent = await this.post(request, signal, {
      onTooLarge: () => request,
      onGone: 'is off',
      read: (body) => (token = tokenIn(body)),
    });
    if (sent.result !== 'sent') {
      return sent;
    }
    const { host } = new URL(request.url);
    return typeof token === 'string' && token !== ''
      ? token
      : later(`The server at ${host} answered without a token.`);
  }

  /**
   * Posts to an address of a user, by the policy for addresses of users and without redirects.
   *
   * @param onTooLarge the shorter request, which is sent once after 413
   * @param isThereStatus a status that says that the server has it already
   * @param read gets the body of a success
   * @param onGone what happens to the channel after 410; `is removed` also after 404
   */
  async post(
    { url, headers, body }: Posted,
    signal: AbortSignal | undefined,
    given: {
      readonly onTooLarge: () => Posted;
      readonly onGone: 'is off' | 'is removed';
      readonly isThereStatus?: number;
      readonly read?: (body: Uint8Array) => void;
    },
    isShort = false,
  ): Promise<Sent> {
    const { host } = new URL(url);
    try {
      const {
        status,
        headers: answered,
        body: answer,
      } = await this.outgoing.request({
        url,
        method: 'POST',
        headers,
        body,
        timeoutSeconds: this.answerSeconds,
        maxRedirects: 0,
        maxWireBytes: LARGEST_ANSWER_BYTES,
        discardsBody: given.read === undefined,
        signal,
      });
      if ((status >= 200 && status < 300) || status === given.isThereStatus) {
        given.read?.(answer);
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

/** Undefined if the answer has none. */
function tokenIn(body: Uint8Array): unknown {
  try {
    const answer: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    return (answer as { access_token?: unknown } | null)?.access_token;
  } catch {
    return undefined;
  }
}
