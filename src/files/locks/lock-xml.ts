import type { FileLock } from './locks.repository.js';
import { escapeXml } from '../dav/dav-xml.js';

export const LOCK_TOKEN_SCHEME = 'opaquelocktoken:';

/** @param root address of what the lock is on */
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
