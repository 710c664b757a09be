const LOOPBACK = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Reasons that may keep clients from connecting, as keys of their texts.
 *
 * @param here the address of the page
 * @param base the address that the operator set; empty: none
 */
export function noticesAbout(
  here: Pick<URL, 'origin' | 'hostname' | 'protocol'>,
  base: string,
  fever: boolean,
): readonly string[] {
  const notices = fever ? ['settings.connect.feverIsWeak'] : [];
  if (base !== '' && new URL(base).origin !== here.origin) {
    return ['settings.connect.otherAddress', ...notices];
  }
  if (LOOPBACK.test(here.hostname)) {
    return ['settings.connect.thisComputer', ...notices];
  }
  return here.protocol === 'https:' ? notices : ['settings.connect.insecure', ...notices];
}
