/**
 * Parses `AUTHORIZATION-APP-API`; the secret may contain colons, the user may not.
 *
 * @returns null unless it is base64 of `user:secret`; the user may be empty
 */
export function readGatewayAuthorization(
  header: string | undefined,
): { readonly userId: string; readonly secret: string } | null {
  if (header === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(header.trim())) {
    return null;
  }
  const text = Buffer.from(header.trim(), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? null : { userId: text.slice(0, colon), secret: text.slice(colon + 1) };
}
