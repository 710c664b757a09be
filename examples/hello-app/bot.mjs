import { Buffer } from 'node:buffer';
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import process from 'node:process';
import { gateway, hostAddress } from './gateway.mjs';

const { APP_ID } = process.env;

/** Route for messages of the chat, relative to the app, without a leading slash. */
export const BOT_ROUTE = 'bot';

/**
 * Replies to messages that contain "hello", and reacts with a wave.
 *
 * @param request its headers contain the signature of the body's bytes
 * @returns what was done, for the log
 */
export async function answerInChat(request, bytes) {
  const secret = await secretOfBot();
  if (!isFromTheChat(request, bytes, secret)) {
    return 'not from the chat';
  }
  const { type, actor, object, target } = JSON.parse(bytes.toString('utf8'));
  // Answering bots, including itself, would never end.
  if (type !== 'Create' || actor?.type !== 'Person') {
    return `nothing to say to ${type}`;
  }
  const { message } = JSON.parse(object.content);
  if (!/hello/i.test(message)) {
    return 'nothing to say';
  }
  const words = `Hello, ${actor.name}!`;
  await say(target.id, 'message', words, { message: words, replyTo: Number(object.id) }, secret);
  await say(target.id, `reaction/${object.id}`, '👋', { reaction: '👋' }, secret);
  return words;
}

/** The gateway stores the secret in the app's config, under the bot's id. */
async function secretOfBot() {
  const id = createHash('sha1').update(`${APP_ID}_${BOT_ROUTE}`).digest('hex');
  const keys = { configKeys: [id] };
  const [kept] = await gateway('POST', '/api/v1/ex-app/config/get-values', keys);
  return kept?.configvalue ?? '';
}

function isFromTheChat({ headers }, bytes, secret) {
  const random = headers['x-nextcloud-talk-random'] ?? '';
  const expected = Buffer.from(sign(secret, random, bytes));
  const given = Buffer.from((headers['x-nextcloud-talk-signature'] ?? '').toLowerCase());
  return random !== '' && given.length === expected.length && timingSafeEqual(given, expected);
}

/** @param signed the part of the body that is signed */
async function say(token, what, signed, body, secret) {
  const random = randomBytes(32).toString('hex');
  const response = await fetch(
    hostAddress(`/ocs/v2.php/apps/spreed/api/v1/bot/${encodeURIComponent(token)}/${what}`),
    {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'ocs-apirequest': 'true',
        'x-nextcloud-talk-bot-random': random,
        'x-nextcloud-talk-bot-signature': sign(secret, random, signed),
      },
      body: JSON.stringify(body),
    },
  );
  await response.body?.cancel();
  if (!response.ok) {
    throw new Error(`The chat answered ${what} with status ${response.status}.`);
  }
}

function sign(secret, random, signed) {
  return createHmac('sha256', secret).update(random).update(signed).digest('hex');
}
