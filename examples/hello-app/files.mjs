import { credentials, hostAddress } from './gateway.mjs';

/**
 * Reads a file of the user over WebDAV, in that user's name.
 *
 * @param node as file actions and events describe one
 * @returns how many words it has; null for what is no text, or cannot be read
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
