/** Words of parameters whose value opens a feed for one person. */
const SECRETS = new Set(
  'apikey auth authorization credential hash jwt key pass passwd password pwd secret session sid sig signature token'.split(
    ' ',
  ),
);

/** What decides whether everybody could read a source. */
export interface SourceSecrets {
  /** With its credentials. */
  readonly url: string;
  /** Whether requests for it have headers of their own, or nobody fetches it: its items were added. */
  readonly isPrivate: boolean;
}

/**
 * Whether articles of a source may be published. Not those of sources with credentials of any kind, also in the
 * address.
 */
export function isPublicSource({ url, isPrivate }: SourceSecrets): boolean {
  const address = isPrivate ? null : URL.parse(url);
  return (
    address !== null &&
    address.username + address.password === '' &&
    ![...address.searchParams.keys()].some(namesSecret)
  );
}

/** `accessToken`, `access_token` and `token` alike. */
function namesSecret(parameter: string): boolean {
  const words = parameter.replace(/([a-z])(?=[A-Z])/g, '$1 ').toLowerCase();
  return words.split(/[^a-z]+/).some((word) => SECRETS.has(word));
}

/** The column of a row of `source` for `isPublicSource`. */
export const IS_PRIVATE = 'source.access is not null or source.given_to is not null as "isPrivate"';
