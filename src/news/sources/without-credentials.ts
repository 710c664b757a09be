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
