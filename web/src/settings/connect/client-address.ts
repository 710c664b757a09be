import type { AddressForm } from './clients.js';

const SUFFIXES: Readonly<Record<AddressForm, string>> = {
  root: '',
  news: '/index.php/apps/news/api/v1-3',
  greader: '/api/greader.php',
  fever: '/fever/',
  files: '/remote.php/dav/files/',
};

/**
 * The address that a user enters in a client.
 *
 * @param server of the installation, without a slash at the end
 */
export function clientAddress(server: string, form: AddressForm, userId: string): string {
  const address = server + SUFFIXES[form];
  return form === 'files' ? `${address}${encodeURIComponent(userId)}/` : address;
}
