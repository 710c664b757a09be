import { readFile, stat } from 'node:fs/promises';

/**
 * Names of the system's hosts file, which name servers do not know. Read directly: the system's own look-up
 * would also ask name servers, for many seconds where none answers, in threads that are needed elsewhere.
 */
export class HostsFile {
  #readAtMs = -1;
  #addresses = new Map<string, string[]>();

  constructor(private readonly path = '/etc/hosts') {}

  /** @param name in lower case; empty without the file */
  async addressesOf(name: string): Promise<readonly string[]> {
    const changedAtMs = await stat(this.path).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    if (changedAtMs !== this.#readAtMs) {
      this.#addresses = parsed(await readFile(this.path, 'utf8').catch(() => ''));
      this.#readAtMs = changedAtMs;
    }
    return this.#addresses.get(name) ?? [];
  }
}

function parsed(text: string): Map<string, string[]> {
  const addresses = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    for (const name of names) {
      const key = name.toLowerCase().replace(/\.+$/, '');
      addresses.set(key, [...(addresses.get(key) ?? []), address.replace(/%.*/, '')]);
    }
  }
  return addresses;
}
