/** Where an app password is accepted. */
export const APP_PASSWORD_SCOPES = [
  'everything',
  'reader',
  'reader-read',
  'files',
  'files-read',
] as const;

export type AppPasswordScope = (typeof APP_PASSWORD_SCOPES)[number];

/** Part of the service that a scope can be limited to. */
export type ScopedRoom = 'reader' | 'files';

/** @returns null for `everything` */
export function roomOf(scope: AppPasswordScope): ScopedRoom | null {
  switch (scope) {
    case 'everything':
      return null;
    case 'reader':
    case 'reader-read':
      return 'reader';
    case 'files':
    case 'files-read':
      return 'files';
  }
}

/** Whether app passwords with the scope must not change anything. */
export function isReadOnly(scope: AppPasswordScope): boolean {
  return scope === 'reader-read' || scope === 'files-read';
}
