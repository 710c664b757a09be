import { InvalidUserId } from '../platform.errors.js';

/**
 * Letters, digits and `_ . @ -` of ASCII, at most 64: nothing that looks like another name, or like
 * blank. Not dots alone, which in an address stand for a folder.
 */
export function isUserId(text: string): boolean {
  return /^(?!\.+$)[A-Za-z0-9_.@-]{1,64}$/.test(text);
}

/** @throws InvalidUserId naming the rule */
export function assertUserId(text: string): void {
  if (!isUserId(text)) {
    throw new InvalidUserId(text);
  }
}
