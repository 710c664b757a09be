import { Webhook } from 'standardwebhooks';
import { html } from '../../../common/http/html.js';
import { cutAt } from '../../feed-parser/html/plain-text.js';
import type { ChannelAddress } from './notice-channel.js';
import { EXCERPT_CHARACTERS, type NoticeMessage } from './notice-message.js';
import type { TellingForm } from './notice.entities.js';
import { below, bearer, JSON_TYPE, post, type WebhookRequest } from './webhook-request.js';

type Form = (message: NoticeMessage, address: ChannelAddress, now: Date) => WebhookRequest;

/** Most of our texts; each form has a limit of its own, which is above. */
const MOST_TEXT = 3000;

const textOf = ({ body }: NoticeMessage, most = MOST_TEXT): string =>
  body.length > most ? `${cutAt(body, most - 1)}…` : body;

/** How messages are posted to the servers that people have. */
export const FORMS: Readonly<Record<TellingForm, Form>> = {
  /** Standard Webhooks 1.0.0. */
  standard(message, { url, secret }, now) {
    const { type, id, title, body, rule, count, items, readerUrl, urgent } = message;
    const data =
      type === 'item.matched'
        ? { rule, item: items[0], urgent }
        : { rule, title, text: body, count, items, readerUrl, urgent };
    const text = JSON.stringify({ type, timestamp: now.toISOString(), data });
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, now, text),
    };
    return { url, headers: { ...JSON_TYPE, ...headers }, body: text };
  },

  /** JSON goes to the root, which the topic is the last part of the address of. */
  ntfy(message, { url, secret }) {
    const topicUrl = new URL(url);
    const [topic = '', ...folders] = topicUrl.pathname.split('/').filter(Boolean).toReversed();
    const root = new URL(folders.toReversed().join('/'), topicUrl.origin);
    const { buttons, items, title, urgent, readerUrl, words } = message;
    const article = items.length === 1 ? items[0]?.url : null;
    const actions = [
      ...(buttons
        ? [
            { action: 'http', label: words.read, method: 'POST', url: buttons.read, clear: true },
            { action: 'http', label: words.star, method: 'POST', url: buttons.star },
          ]
        : []),
      ...(article ? [{ action: 'view', label: words.original, url: article }] : []),
    ];
    return post(
      root.href,
      {
        topic,
        title,
        message: textOf(message, 1200),
        priority: urgent ? 5 : 3,
        click: readerUrl,
        ...(actions.length > 0 && { actions }),
      },
      bearer(secret),
    );
  },

  gotify(message, { url, secret }) {
    return post(
      below(url, 'message'),
      {
        title: message.title,
        message: textOf(message),
        priority: message.urgent ? 8 : 5,
        extras: { 'client::notification': { click: { url: message.readerUrl } } },
      },
      { 'x-gotify-key': secret },
    );
  },

  pushover(message, { url, secret, recipient }) {
    return post(url === '' ? 'https://api.pushover.net/1/messages.json' : url, {
      token: secret,
      user: recipient,
      title: cutAt(message.title, 250),
      message: textOf(message, 1024),
      url: message.readerUrl,
      priority: message.urgent ? 1 : 0,
    });
  },

  /** With a key in the address, the server knows whom to tell; else the recipient says it. */
  apprise(message, { url, secret, recipient }) {
    return post(
      url,
      {
        ...(recipient !== '' && { urls: recipient }),
        title: message.title,
        body: `${textOf(message)}\n${message.readerUrl}`,
        type: message.urgent ? 'warning' : 'info',
        format: 'text',
      },
      bearer(secret),
    );
  },

  /** Mattermost and Rocket.Chat take the same. */
  slack(message, { url }) {
    // A title that says “@all” calls nobody.
    const escaped = (text: string) =>
      text
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll(/@(?=all|channel|here)/gi, '@\u200B');
    const link = `<${message.readerUrl}|${escaped(message.title).replaceAll('|', '¦')}>`;
    return post(url, { text: `*${link}*\n${escaped(textOf(message))}` });
  },

  discord(message, { url }) {
    return post(url, {
      embeds: [
        {
          title: cutAt(message.title, 256),
          url: message.readerUrl,
          description: textOf(message),
        },
      ],
      allowed_mentions: { parse: [] },
    });
  },

  teams(message, { url }) {
    const text = (value: string, more: object = {}) => ({
      type: 'TextBlock',
      text: value,
      wrap: true,
      ...more,
    });
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      body: [text(message.title, { weight: 'bolder' }), text(textOf(message))],
      actions: [{ type: 'Action.OpenUrl', title: message.words.open, url: message.readerUrl }],
    };
    const contentType = 'application/vnd.microsoft.card.adaptive';
    return post(url, { type: 'message', attachments: [{ contentType, content }] });
  },

  /** A webhook of the bridge Hookshot. */
  matrix(message, { url }) {
    const { title, readerUrl } = message;
    const lines = textOf(message);
    const shown = html`<p>
      <a href="${readerUrl}"><b>${title}</b></a>
    </p>`;
    const paragraphs = lines.split('\n').map((line) => html`<p>${line}</p>`.markup);
    return post(url, {
      text: `${title}\n${lines}\n${readerUrl}`,
      html: shown.markup + paragraphs.join(''),
    });
  },
};

/** The message without excerpts and with its first lines, for servers that found it too long. */
export function shortened(message: NoticeMessage): NoticeMessage {
  return {
    ...message,
    body: cutAt(message.body, EXCERPT_CHARACTERS),
    items: message.items.slice(0, 5).map((item) => ({ ...item, excerpt: '' })),
  };
}
