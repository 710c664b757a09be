import { InvalidUserId } from '../../platform.errors.js';

/**
 * 1 to 64 ASCII letters, digits and `_ . @ -`: no lookalikes, no whitespace. Not `.` or `..`, which
 * are path segments.
 */
export function isUserId(text: string): boolean {
  return /^(?!\.+$)[A-Za-z0-9_.@-]{1,64}$/.test(text);
}

/** @throws InvalidUserId naming the rule */
export function assertUserId(text: string): void {
  InvalidUserId.unless(isUserId(text), text);
}
