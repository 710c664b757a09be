/** An address without credentials and query, which may be secrets. */
export function shownAddress(url: string, withQuery = false): string {
  const shown = URL.parse(url);
  if (shown === null) {
    return 'an address that cannot be read';
  }
  shown.username = '';
  shown.password = '';
  if (withQuery || shown.search === '') {
    return shown.href;
  }
  shown.search = '';
  return `${shown.href}?…`;
}

/** An address without user name and password; otherwise as it was given. */
export function withoutCredentials(address: string): string {
  const url = URL.parse(address);
  if (url === null || (url.username === '' && url.password === '')) {
    return address;
  }
  url.username = '';
  url.password = '';
  return url.href;
}
