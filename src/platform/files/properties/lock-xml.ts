import { escapeXml } from '../dav-format/dav-xml.js';
import type { FileLock } from '../locks/locks.repository.js';

export const LOCK_TOKEN_SCHEME = 'opaquelocktoken:';

/** A `d:activelock`. @param root href of the locked node */
export function activeLock(lock: FileLock, root: string): string {
  return (
    '<d:activelock><d:lockscope><d:exclusive/></d:lockscope><d:locktype><d:write/></d:locktype>' +
    `<d:depth>${lock.isDeep ? 'infinity' : '0'}</d:depth>` +
    `<d:owner>${lock.owner}</d:owner>` +
    `<d:timeout>Second-${lock.secondsLeft}</d:timeout>` +
    `<d:locktoken><d:href>${LOCK_TOKEN_SCHEME}${lock.token}</d:href></d:locktoken>` +
    `<d:lockroot><d:href>${escapeXml(root)}</d:href></d:lockroot></d:activelock>`
  );
}
