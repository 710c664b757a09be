import { Injectable } from '@nestjs/common';
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Config } from '../config/config.js';
import { dataFolderMode } from '../data-folder.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Version byte of sealed values. */
const FORMAT = Buffer.from([1]);

/**
 * Encrypts secrets in the database: AES-256-GCM with a key in the data folder, or in
 * `GATEFOLD_SECRET_KEY` for processes without a common folder.
 */
@Injectable()
export class SecretBox {
  readonly #key: Buffer;

  constructor(config: Config) {
    const secret = secretKeyOf(config);
    this.#key = createHash('sha256').update(`gatefold secret box\0${secret}`).digest();
  }

  /** Identifies the key without revealing it. */
  get fingerprint(): string {
    return createHmac('sha256', this.#key).update('fingerprint').digest('hex').slice(0, 16);
  }

  /** A key for another use, from which this one cannot be found. */
  keyFor(purpose: string): Buffer {
    return createHmac('sha256', this.#key).update(`key for ${purpose}`).digest();
  }

  /** Whether `open` would succeed. */
  opens(sealed: Uint8Array, purpose: string): boolean {
    try {
      this.open(sealed, purpose);
      return true;
    } catch {
      return false;
    }
  }

  /** A lookup key for secrets: equal for equal texts, and not to be guessed without the key. */
  digest(text: string, purpose: string): Buffer {
    return createHmac('sha256', this.#key).update(`digest\0${purpose}\0${text}`).digest();
  }

  /** @param purpose authenticated; `open` needs the same text */
  seal(plain: string, purpose: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([FORMAT, nonce, cipher.getAuthTag(), sealed]);
  }

  /** @throws Error for another key or purpose, or modified bytes */
  open(sealed: Uint8Array, purpose: string): string {
    const bytes = Buffer.from(sealed);
    const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
    const tag = bytes.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce)
      .setAAD(Buffer.from(purpose))
      .setAuthTag(tag);
    const plain = decipher.update(bytes.subarray(1 + NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([plain, decipher.final()]).toString('utf8');
  }
}

/** The secret key as configured, or from the data folder, where the first use creates it. */
export function secretKeyOf({ secretKey, dataDir }: Config): string {
  return secretKey ?? keyFromDataFolder(dataDir);
}

/** Created on first use, with mode 0600. Concurrent processes agree on one. */
function keyFromDataFolder(dataDir: string): string {
  const file = path.join(dataDir, 'secret.key');
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    mkdirSync(dataDir, { recursive: true, mode: dataFolderMode() });
    writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600 });
  }
  try {
    // Unlike rename, link does not overwrite the file of another process.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw error;
    }
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, 'utf8');
}
