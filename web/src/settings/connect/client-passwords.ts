import type { AppPassword } from '../security/access.store.js';

/** The service writes down the first use at once, later ones once a minute. */
const RECENT_SECONDS = 90;

type Named = Pick<AppPassword, 'name'>;

/** Whether an app password is named after a client: “NetNewsWire”, “NetNewsWire 2”. */
export function isNamedAfter(client: string, { name }: Named): boolean {
  return client !== '' && name.startsWith(client) && /^( \d+)?$/.test(name.slice(client.length));
}

/** A name per device, so that one can be revoked. */
export function unusedName(client: string, known: readonly Named[]): string {
  const taken = new Set(known.map(({ name }) => name));
  let free = client;
  for (let number = 2; taken.has(free); number += 1) {
    free = `${client} ${number}`;
  }
  return free;
}

/** Whether an app password was used since the user began to watch, or shortly before. */
export function wasUsed(
  { id, lastUsed }: Pick<AppPassword, 'id' | 'lastUsed'>,
  before: ReadonlyMap<number, number | null>,
  startSeconds: number,
): boolean {
  return (
    lastUsed !== null &&
    (lastUsed !== before.get(id) || Math.abs(startSeconds - lastUsed) < RECENT_SECONDS)
  );
}
