import { createHmac } from 'node:crypto';
import type { ChannelAddress } from './notice-channel.js';
import { SAVING_FORMS, type SavingForm, type WebhookForm } from './notice.entities.js';
import { below, bearer, post, type WebhookRequest } from './webhook-request.js';

/** A page that is kept elsewhere. */
export interface KeptPage {
  readonly url: string;
  readonly title: string;
}

/** A service that keeps pages. */
interface Saving {
  /** Where it is, if it is at one place for all. */
  readonly at?: string;
  readonly needs: readonly ('secret' | 'recipient' | 'clientId' | 'clientSecret')[];
  /** Answered with an `access_token`, which `save` gets as the secret. */
  readonly logIn?: (address: ChannelAddress) => WebhookRequest;
  readonly save: (page: KeptPage, address: ChannelAddress, now: Date) => WebhookRequest;
}

const TOKEN = ['secret'] as const;

export const SAVING: Readonly<Record<SavingForm, Saving>> = {
  wallabag: {
    needs: ['recipient', 'secret', 'clientId', 'clientSecret'],
    logIn: ({ url, recipient, secret, clientId, clientSecret }) =>
      post(below(url, 'oauth/v2/token'), {
        grant_type: 'password',
        client_id: clientId,
        client_secret: clientSecret,
        username: recipient,
        password: secret,
      }),
    save: (page, { url, secret }) => post(below(url, 'api/entries.json'), page, bearer(secret)),
  },
  karakeep: {
    needs: TOKEN,
    save: ({ url: link, title }, { url, secret }) =>
      post(below(url, 'api/v1/bookmarks'), { type: 'link', url: link, title }, bearer(secret)),
  },
  linkwarden: {
    needs: TOKEN,
    save: ({ url: link, title }, { url, secret }) =>
      post(below(url, 'api/v1/links'), { url: link, name: title }, bearer(secret)),
  },
  readwise: {
    at: 'https://readwise.io/api/v3/save/',
    needs: TOKEN,
    save: (page, { url, secret }) => post(url, page, { authorization: `Token ${secret}` }),
  },
  instapaper: {
    at: 'https://www.instapaper.com/api/add',
    needs: ['recipient', 'secret'],
    save: ({ url: link, title }, { url, recipient, secret }) => ({
      url,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from(`${recipient}:${secret}`).toString('base64')}`,
      },
      body: new URLSearchParams({ url: link, title }).toString(),
    }),
  },
  raindrop: {
    at: 'https://api.raindrop.io/rest/v1/raindrop',
    needs: TOKEN,
    save: ({ url: link, title }, { url, secret }) => post(url, { link, title }, bearer(secret)),
  },
  readeck: {
    needs: TOKEN,
    save: (page, { url, secret }) => post(below(url, 'api/bookmarks/'), page, bearer(secret)),
  },
  linkding: {
    needs: TOKEN,
    save: (page, { url, secret }) =>
      post(below(url, 'api/bookmarks/'), page, { authorization: `Token ${secret}` }),
  },
  shaarli: {
    needs: TOKEN,
    save: (page, { url, secret }, now) =>
      post(below(url, 'api/v1/links'), page, bearer(tokenOfNow(secret, now))),
  },
};

/** The form, if its service keeps pages instead of telling somebody; null otherwise. */
export function savingFormOf(form: WebhookForm | null): SavingForm | null {
  return SAVING_FORMS.find((one) => one === form) ?? null;
}

/** A JSON Web Token that says when it was made, as Shaarli wants it (HS512). */
function tokenOfNow(secret: string, now: Date): string {
  const encoded = [{ typ: 'JWT', alg: 'HS512' }, { iat: Math.floor(now.getTime() / 1000) }].map(
    (part) => Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signed = encoded.join('.');
  return `${signed}.${createHmac('sha512', secret).update(signed).digest('base64url')}`;
}
