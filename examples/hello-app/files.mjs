import { credentials, hostAddress } from './gateway.mjs';

/**
 * Reads a file over WebDAV on behalf of its user.
 *
 * @param node as described by file actions and events
 * @returns the number of words; null if it is not text or cannot be read
 */
export async function wordsOfFile({ directory, name, mime }, userId) {
  if (!mime.startsWith('text/')) {
    return null;
  }
  const path = [userId, ...directory.split('/'), name].filter(Boolean).map(encodeURIComponent);
  const address = hostAddress(`/remote.php/dav/files/${path.join('/')}`);
  const response = await fetch(address, { headers: credentials(userId) });
  if (!response.ok) {
    await response.body?.cancel();
    return null;
  }
  return (await response.text()).match(/\S+/g)?.length ?? 0;
}
