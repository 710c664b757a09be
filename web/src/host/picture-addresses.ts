import { reactive } from 'vue';
import { requestJson } from './http.js';
import { addressOf, page } from './page-context.js';

/** Signatures by address. Empty: the service signs no such address, or could not be asked. */
const signatures = reactive(new Map<string, string>());
const MOST_KEPT = 5_000;

const MOST_AT_ONCE = 100;
const wanted = new Set<string>();

/**
 * The address to load a picture of a publisher from: its own, or one of this service, which the
 * installation may require. Reactive: null while that is not known, so that a component is drawn again.
 */
export function pictureAddress(address: string): string | null {
  if (page.pictures === 'direct' || !/^https?:/i.test(address)) {
    return address;
  }
  const signature = signatures.get(address);
  if (signature === undefined) {
    want(address);
  }
  return signature
    ? addressOf(`/apps/news/pictures/${signature}?address=${encodeURIComponent(address)}`)
    : null;
}

function want(address: string): void {
  if (wanted.size === 0) {
    // Batches all addresses of one drawing.
    setTimeout(() => void askForAll());
  }
  wanted.add(address);
}

async function askForAll(): Promise<void> {
  const addresses = [...wanted];
  wanted.clear();
  if (signatures.size + addresses.length > MOST_KEPT) {
    signatures.clear();
  }
  for (let at = 0; at < addresses.length; at += MOST_AT_ONCE) {
    const some = addresses.slice(at, at + MOST_AT_ONCE);
    const signed = await sign(some);
    for (const address of some) {
      signatures.set(address, signed[address] ?? '');
    }
  }
}

async function sign(addresses: readonly string[]): Promise<Readonly<Record<string, string>>> {
  try {
    const answer = await requestJson<{ signatures: Record<string, string> }>(
      '/apps/news/pictures',
      {
        method: 'POST',
        json: { addresses },
      },
    );
    return answer.signatures;
  } catch {
    return {};
  }
}
