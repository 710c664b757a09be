/**
 * The base of relative addresses in a document: the address of the response, or its
 * `Content-Location`, unless that names a host of the publisher's internal network, as some servers
 * do.
 *
 * @param url address of the response after redirects
 */
export function documentBase(contentLocation: string | undefined, url: string): string {
  const named = contentLocation === undefined ? null : URL.parse(contentLocation.trim(), url);
  if (named === null || !/^https?:$/.test(named.protocol)) {
    return url;
  }
  const isElsewhere = named.host !== new URL(url).host;
  if (isElsewhere && !PUBLIC_NAME.test(named.hostname)) {
    return url;
  }
  named.username = '';
  named.password = '';
  return named.href;
}

/** At least two labels; the last one is neither a number nor a local domain. */
const PUBLIC_NAME = /\.(?!local$|localhost$|internal$|lan$)[a-z][a-z0-9-]*$/;
