/** Excludes characters that look alike. */
const SIGNS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 20;

/** 115 bits of entropy. */
export function generatePassword(): string {
  let password = '';
  while (password.length < LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH))) {
      // Rejects values that would make some characters more likely.
      const sign = byte < 256 - (256 % SIGNS.length) ? SIGNS[byte % SIGNS.length] : '';
      password += password.length < LENGTH ? sign : '';
    }
  }
  return password;
}
