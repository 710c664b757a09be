import { isReadOnly, roomOf, type ScopedRoom } from '../ports/app-password-scope.js';
import type { Credential } from '../ports/user-directory.js';
import { OutsideOfScope } from './auth.errors.js';

/** The room of a request, and whether it changes data. */
interface ScopedUse {
  /** Part of the service; `any`: every app password may use it; null: requires all rights. */
  readonly room: ScopedRoom | 'any' | null;
  readonly changes: boolean;
}

/** @throws OutsideOfScope */
export function assertScope(
  credential: Credential | undefined,
  { room, changes }: ScopedUse,
): void {
  if (credential?.kind !== 'app password') {
    return;
  }
  const allowed = roomOf(credential.scope);
  if (allowed === null) {
    return;
  }
  if (room !== 'any' && room !== allowed) {
    throw new OutsideOfScope(allowed);
  }
  if (changes && isReadOnly(credential.scope)) {
    throw new OutsideOfScope('reading');
  }
}
