import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

/** Beyond this the oldest bookmark is forgotten. */
const MOST_BOOKMARKS = 10_000;
const MOST_BYTES = 64 * 1024;

/**
 * A bookmark service in memory, in place of a real one:
 * - `PUT /bookmarks/{key}` with `{url, title, user}`; the same key again overwrites the bookmark;
 * - `DELETE /bookmarks/{key}`;
 * - `GET /bookmarks`, newest first.
 *
 * All with `Authorization: Bearer TOKEN`.
 *
 * @param listen port and host
 * @returns the server, and its address once it listens
 */
export async function startBookmarkService(token, listen) {
  const bookmarks = new Map();
  const server = createServer(async (request, response) => {
    const answer = (status, json = {}) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    if (!isBearer(request.headers.authorization, token)) {
      return answer(401, { error: 'wrong token' });
    }
    const key = /^\/bookmarks\/([\w-]{1,200})$/.exec(request.url)?.[1];
    if (request.method === 'GET' && request.url === '/bookmarks') {
      return answer(200, [...bookmarks.values()].toReversed());
    }
    if (request.method === 'PUT' && key !== undefined) {
      const bookmark = await readJson(request);
      if (bookmark === null) {
        return answer(400, { error: 'not a bookmark' });
      }
      bookmarks.set(key, { key, ...bookmark });
      if (bookmarks.size > MOST_BOOKMARKS) {
        bookmarks.delete(bookmarks.keys().next().value);
      }
      return answer(200, bookmarks.get(key));
    }
    if (request.method === 'DELETE' && key !== undefined) {
      bookmarks.delete(key);
      return answer(200);
    }
    return answer(404, { error: 'no such route' });
  });
  await new Promise((resolve) => server.listen(listen, resolve));
  return { server, address: `http://127.0.0.1:${server.address().port}` };
}

function isBearer(header, token) {
  const [given, ours] = [Buffer.from(header ?? ''), Buffer.from(`Bearer ${token}`)];
  return given.length === ours.length && timingSafeEqual(given, ours);
}

/** @returns null when it is no bookmark, or too long */
async function readJson(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) {
      return null;
    }
    chunks.push(chunk);
  }
  try {
    const { url, title, user } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return typeof url === 'string' ? { url, title, user } : null;
  } catch {
    return null;
  }
}
