import { expect, it } from '@jest/globals';
import { Readable } from 'node:stream';
import { BackupReader } from './backup-reader.js';

it('A backup that is read no further frees its file.', async () => {
  const file = new Readable({ read: () => {} });
  const reader = new BackupReader(file, 'a.backup');

  await reader.close();

  expect(file.destroyed).toBe(true);
});
