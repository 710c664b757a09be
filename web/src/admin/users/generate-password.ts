/** Without signs that are easily taken for one another. */
const SIGNS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const LENGTH = 20;

/** One that nobody guesses: 115 bits. */
export function generatePassword(): string {
  let password = '';
  while (password.length < LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH))) {
      // Every sign as likely as any other.
      const sign = byte < 256 - (256 % SIGNS.length) ? SIGNS[byte % SIGNS.length] : '';
      password += password.length < LENGTH ? sign : '';
    }
  }
  return password;
}
