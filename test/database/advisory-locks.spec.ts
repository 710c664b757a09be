import { expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { READER_LOCK_SPACE } from '../../src/common/advisory-locks.js';
import { sharedService } from '../support/shared-service.js';

/* A lock with the number of a reader's would have that reader wait for the whole installation. */

const { app } = await sharedService();

const numbersIn = (text: string) =>
  [...text.matchAll(/\b4_?706[\d_]*/g)].map(([number]) => Number(number.replaceAll('_', '')));

const ofReaders = (numbers: readonly number[]) =>
  numbers.filter((number) => number >= READER_LOCK_SPACE);

it('Only locks of readers have the numbers of readers: in the program', () => {
  const files = globSync('src/**/*.ts', { exclude: ['src/database/migrations/**'] });
  const numbers = files.flatMap((file) => numbersIn(readFileSync(file, 'utf8')));

  expect(numbers.length).toBeGreaterThan(5);
  expect(ofReaders(numbers)).toEqual([READER_LOCK_SPACE]);
});

it('and in the functions of the database.', async () => {
  const functions = await app.database.query<{ text: string }>(
    `select prosrc as text from pg_proc
      where prosrc like '%pg_advisory_xact_lock(%' and pronamespace = 'public'::regnamespace`,
  );
  const numbers = functions.flatMap(({ text }) => numbersIn(text));

  expect(numbers).toHaveLength(1);
  expect(ofReaders(numbers)).toEqual([]);
});
