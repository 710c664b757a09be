/**
 * The address that relative ones in a document are resolved against: that of the answer, unless
 * the server names another with `Content-Location`, as publishers do whose feeds were written to
 * stand elsewhere. Names that mean something only inside of a publisher's network, which some
 * servers give away there, are not believed.
 *
 * @param url where the answer came from in the end
 */
export function documentBase(contentLocation: string | undefined, url: string): string {
  const named = contentLocation === undefined ? null : URL.parse(contentLocation.trim(), url);
  if (named === null || !/^https?:$/.test(named.protocol)) return url;
  const isElsewhere = named.host !== new URL(url).host;
  if (isElsewhere && !IS_PUBLIC_NAME.test(named.hostname)) return url;
  named.username = '';
  named.password = '';
  return named.href;
}

/** At least two labels, the last of which is no number, and none that stays inside. */
const IS_PUBLIC_NAME = /\.(?!local$|localhost$|internal$|lan$)[a-z][a-z0-9-]*$/;
