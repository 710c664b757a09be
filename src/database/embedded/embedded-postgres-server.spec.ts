import { expect, it } from '@jest/globals';
import { bufferMb } from './embedded-postgres-server.js';

it.each([
  [128, 16],
  [512, 32],
  [1024, 64],
  [2048, 128],
  [65_536, 128],
])('a machine or container of %i MiB gives the embedded database %i MB of buffers', (mib, mb) => {
  expect(bufferMb(mib * 1024 ** 2)).toBe(mb);
});
