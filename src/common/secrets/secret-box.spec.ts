import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readConfig } from '../config/config.js';
import { SecretBox } from './secret-box.js';

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'gatefold-secrets-'));
afterAll(() => rmSync(dataDir, { recursive: true }));

const boxIn = (folder: string, extra = {}) =>
  new SecretBox(readConfig({ GATEFOLD_DATA_DIR: folder, ...extra }, []));

describe('the secret box', () => {
  it('opens what another process with the same folder has sealed', () => {
    const sealed = boxIn(dataDir).seal('täglich 🗝', 'a test');

    expect(boxIn(dataDir).open(sealed, 'a test')).toBe('täglich 🗝');
    expect(sealed.includes('täglich')).toBe(false);
  });

  it('seals the same secret differently each time', () => {
    const box = boxIn(dataDir);

    expect(box.seal('x', 'a test').equals(box.seal('x', 'a test'))).toBe(false);
  });

  it('opens nothing that was changed, or sealed for another purpose or with another key', () => {
    const box = boxIn(dataDir);
    const sealed = box.seal('secret', 'a test');
    const changed = Buffer.from(sealed);
    changed.writeUInt8((changed.at(-1) ?? 0) ^ 1, changed.length - 1);

    expect(() => box.open(changed, 'a test')).toThrow('unable to authenticate');
    expect(() => box.open(sealed, 'another test')).toThrow('unable to authenticate');
    expect(() =>
      boxIn(dataDir, { GATEFOLD_SECRET_KEY: 'k'.repeat(32) }).open(sealed, 'a test'),
    ).toThrow('unable to authenticate');
  });

  it('keeps its key where only the owner can read it', () => {
    boxIn(dataDir);

    expect(statSync(path.join(dataDir, 'secret.key')).mode & 0o077).toBe(0);
    expect(readFileSync(path.join(dataDir, 'secret.key'), 'utf8').length).toBeGreaterThan(40);
  });

  it('makes a data folder that others cannot list', () => {
    const folder = path.join(dataDir, 'new', 'data');
    boxIn(folder);

    expect(statSync(folder).mode & 0o066).toBe(0);
  });
});
