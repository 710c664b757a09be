import { createHash } from 'node:crypto';
import { gateway } from './gateway.mjs';

const TIMEOUT_MS = 5000;

/**
 * Makes bookmarks of starred items, and removes those of items whose star was taken away. Safe to be
 * repeated.
 *
 * @param service `{address, token}` of the bookmark service
 * @returns how many items the user wanted to be sent
 * @throws Error when the service cannot take them now
 */
export async function sendItems(service, userId, subtype, items) {
  const wishes = await wishesOf(userId);
  const wanted = items.filter((item) => item.url && isWanted(wishes, item));
  for (const item of wanted) {
    const { url, title } = item;
    // One bookmark for each user and article, in any feed.
    const key = createHash('sha256').update(`${userId}\n${item.guidHash}`).digest('hex');
    await call(service, subtype === 'ItemsStarredEvent' ? 'PUT' : 'DELETE', `/bookmarks/${key}`, {
      url,
      title,
      user: userId,
    });
  }
  return wanted.length;
}

/** The user's settings; without any, everything is sent. */
async function wishesOf(userId) {
  const keys = { configKeys: ['active', 'folders', 'feeds'] };
  const kept = await gateway('POST', '/api/v1/ex-app/preference/get-values', keys, userId);
  const valueOf = (key) => kept.find(({ configkey }) => configkey === key)?.configvalue ?? '';
  return {
    isActive: !['0', 'false'].includes(valueOf('active')),
    folders: listOf(valueOf('folders')),
    feeds: listOf(valueOf('feeds')),
  };
}

function listOf(text) {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

function isWanted({ isActive, folders, feeds }, { folder, feedUrl }) {
  const isFiltered = folders.length + feeds.length > 0;
  return isActive && (!isFiltered || folders.includes(folder) || feeds.includes(feedUrl));
}

async function call({ address, token }, method, path, bookmark) {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(method === 'PUT' && { body: JSON.stringify(bookmark) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.arrayBuffer();
  // A bookmark that the service refuses will be refused again.
  if (!response.ok && ![400, 413, 422].includes(response.status)) {
    throw new Error(`the bookmark service answered ${response.status}`);
  }
}
