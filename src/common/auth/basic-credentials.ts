export interface BasicCredentials {
  readonly userId: string;
  readonly password: string;
}

const BASIC_HEADER = /^Basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * Parses an `Authorization` header. The user id ends at the first colon; the password may contain
 * more.
 *
 * @returns null unless it has Basic credentials with user and password
 */
export function readBasicCredentials(header: string | undefined): BasicCredentials | null {
  const encoded = BASIC_HEADER.exec(header?.trim() ?? '')?.[1];
  if (encoded === undefined) {
    return null;
  }
  const text = decode(Buffer.from(encoded, 'base64'));
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1) {
    return null;
  }
  return { userId: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** UTF-8 as in the challenge, or else Latin-1, which older HTTP libraries send. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
