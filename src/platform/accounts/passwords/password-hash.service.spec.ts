import { describe, expect, it } from '@jest/globals';
import { PasswordHash } from './password-hash.service.js';

const passwordHash = new PasswordHash();

describe('PasswordHash', () => {
  it('is argon2id at the cost that OWASP recommends', async () => {
    expect(await passwordHash.of('secret')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('has a salt, so that equal passwords do not look equal', async () => {
    expect(await passwordHash.of('secret')).not.toBe(await passwordHash.of('secret'));
  });

  it('matches its own password and no other', async () => {
    const hash = await passwordHash.of('secret');

    expect(await passwordHash.matches('secret', hash)).toBe(true);
    expect(await passwordHash.matches('Secret', hash)).toBe(false);
  });

  it('takes an accent as one character or as two', async () => {
    const hash = await passwordHash.of('café'.normalize('NFD'));

    expect(await passwordHash.matches('café'.normalize('NFC'), hash)).toBe(true);
  });

  it('never matches where there is no user', async () => {
    expect(await passwordHash.matches('', null)).toBe(false);
  });
});
