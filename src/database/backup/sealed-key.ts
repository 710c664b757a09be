import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { z } from 'zod';

/** The secret key of an installation, encrypted with a passphrase; bytes as base64. */
export const SealedKey = z.object({
  kdf: z.literal('scrypt'),
  cost: z.int().min(2).max(1_048_576),
  salt: z.base64(),
  nonce: z.base64(),
  tag: z.base64(),
  sealed: z.base64(),
});
export type SealedKey = z.output<typeof SealedKey>;

/** Takes 128 MiB and a good part of a second: a guess of the passphrase is as expensive. */
const COST = 131_072;
const BLOCK_SIZE = 8;
const KEY_BYTES = 32;

const CIPHER = 'aes-256-gcm';
const PURPOSE = Buffer.from('gatefold backup key');

export async function sealKey(secretKey: string, passphrase: string): Promise<SealedKey> {
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv(CIPHER, await derive(passphrase, salt, COST), nonce);
  cipher.setAAD(PURPOSE);
  const sealed = Buffer.concat([cipher.update(secretKey, 'utf8'), cipher.final()]);
  return {
    kdf: 'scrypt',
    cost: COST,
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    sealed: sealed.toString('base64'),
  };
}

/** Decrypts the secret key. @returns null with another passphrase */
export async function openKey(key: SealedKey, passphrase: string): Promise<string | null> {
  const derived = await derive(passphrase, Buffer.from(key.salt, 'base64'), key.cost);
  try {
    const decipher = createDecipheriv(CIPHER, derived, Buffer.from(key.nonce, 'base64'));
    decipher.setAAD(PURPOSE).setAuthTag(Buffer.from(key.tag, 'base64'));
    return decipher.update(key.sealed, 'base64', 'utf8') + decipher.final('utf8');
  } catch {
    return null;
  }
}

async function derive(passphrase: string, salt: Buffer, cost: number): Promise<Buffer> {
  const options = { N: cost, r: BLOCK_SIZE, p: 1, maxmem: 256 * BLOCK_SIZE * cost };
  return new Promise((resolve, reject) =>
    scrypt(passphrase.normalize('NFC'), salt, KEY_BYTES, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  );
}
