import { isPublicHttps } from '../../common/http/public-https.js';

/** Parameters that choose a document. The others may be keys. */
const CHOOSING = new Set(['cat', 'channel_id', 'feed', 'format', 'lang', 'playlist_id', 'type']);
/** Ids of a video service, which everybody may know. */
const PUBLIC_ID = /^(?:UC|PL)[\w-]{16,40}$/;

const MOST_CHARACTERS = 500;
const PRIVATE_WORD = /private|secret|token|auth(?!or)|api-?key|personal|member|subscriber|premium/i;

/**
 * Whether the address of a followed feed may be shown to others: a public https host in its name, and
 * nothing that looks like a credential or a key. What is in doubt is not shown.
 */
export function isShareable(address: string): boolean {
  const url = address.length > MOST_CHARACTERS ? null : URL.parse(address);
  if (url === null || !isPublicHttps(url) || /^[\d.[]/.test(url.hostname)) {
    return false;
  }
  const { username, password, port, pathname, hostname, searchParams } = url;
  return (
    username + password + port === '' &&
    !PRIVATE_WORD.test(pathname + hostname) &&
    ![...pathname.split('/'), ...hostname.split('.')].some(looksLikeKey) &&
    [...searchParams].every(
      ([name, value]) => CHOOSING.has(name) && (PUBLIC_ID.test(value) || !looksLikeKey(value)),
    )
  );
}

/** Long ones must be of plain words and short numbers; in short ones, letters and digits do not alternate. */
function looksLikeKey(text: string): boolean {
  const parts = text.split(/[-._~+]/);
  const isPlain = (part: string) =>
    /^(?:[A-Za-z]?[a-z]{0,19}\d{0,2}|[A-Z]{0,12}|\d{0,8})$/.test(part);
  const isMixed = (part: string) => /\d[a-z]+\d|[a-z]\d+[a-z]+\d|[a-z]\d{5}|\d{9}/i.test(part);
  return parts.some(isMixed) || (text.length > 12 && !parts.every(isPlain));
}
