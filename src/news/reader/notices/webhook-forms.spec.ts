import { describe, expect, it } from '@jest/globals';
import { messageId, ownMessage, type NoticeMessage } from './notice-message.js';
import type { SavingForm, WebhookForm } from './notice.entities.js';
import { FORMS } from './webhook-forms.js';

const MESSAGE: NoticeMessage = {
  ...ownMessage(
    'notice.test',
    messageId('a'),
    'Cats & <dogs>',
    'News\nRule: Cats',
    'en',
    'https://reader.example',
  ),
  type: 'item.matched',
  urgent: true,
};

function posted(
  form: Exclude<WebhookForm, SavingForm>,
  given: { url: string; secret?: string; recipient?: string },
) {
  const address = {
    secret: '',
    recipient: '',
    p256dh: '',
    auth: '',
    appId: '',
    clientId: '',
    clientSecret: '',
    ...given,
  };
  const { url, headers, body } = FORMS[form](MESSAGE, address, new Date(0));
  return { url, headers, json: JSON.parse(body) as unknown };
}

describe('the form of', () => {
  it('ntfy is JSON for the root, also below a path', () => {
    expect(posted('ntfy', { url: 'https://h.example/ntfy/cats', secret: 'tk_1' })).toMatchObject({
      url: 'https://h.example/ntfy',
      headers: { authorization: 'Bearer tk_1' },
      json: { topic: 'cats', priority: 5, click: 'https://reader.example/apps/news' },
    });
  });

  it('Gotify has the token of an application', () => {
    expect(posted('gotify', { url: 'https://h.example/', secret: 'A1' })).toMatchObject({
      url: 'https://h.example/message',
      headers: { 'x-gotify-key': 'A1' },
      json: { title: 'Cats & <dogs>', message: 'News\nRule: Cats', priority: 8 },
    });
  });

  it('Pushover has token and user', () => {
    expect(posted('pushover', { url: '', secret: 'app', recipient: 'me' })).toMatchObject({
      url: 'https://api.pushover.net/1/messages.json',
      json: { token: 'app', user: 'me', url: 'https://reader.example/apps/news', priority: 1 },
    });
  });

  it('Apprise has its recipients, unless the address has a key', () => {
    const url = 'http://apprise:8000/notify/key';
    expect(posted('apprise', { url }).json).toMatchObject({
      title: 'Cats & <dogs>',
      type: 'warning',
    });
    expect(posted('apprise', { url }).json).not.toHaveProperty('urls');
    expect(posted('apprise', { url, recipient: 'tgram://x' }).json).toMatchObject({
      urls: 'tgram://x',
    });
  });

  it('Slack is escaped, and a link', () => {
    expect(posted('slack', { url: 'https://hooks.example/x' }).json).toEqual({
      text: '*<https://reader.example/apps/news|Cats &amp; &lt;dogs&gt;>*\nNews\nRule: Cats',
    });
  });

  it('Discord mentions nobody', () => {
    expect(posted('discord', { url: 'https://discord.example/x' }).json).toMatchObject({
      embeds: [{ title: 'Cats & <dogs>', url: 'https://reader.example/apps/news' }],
      allowed_mentions: { parse: [] },
    });
  });

  it('Teams is an adaptive card', () => {
    expect(posted('teams', { url: 'https://teams.example/x' }).json).toMatchObject({
      type: 'message',
      attachments: [{ content: { type: 'AdaptiveCard', actions: [{ title: 'Open' }] } }],
    });
  });
});
