import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DatabaseError, Pool } from 'pg';
import { DatabaseUnavailable } from '../database-unavailable.js';
import { DatabaseAvailability } from './database-availability.js';

/** As PostgreSQL and pg report the end of a session that waited for a worker of a cluster. */
const ENDS = [
  Object.assign(
    new DatabaseError('terminating connection due to administrator command', 0, 'error'),
    { severity: 'FATAL', code: '57P01' },
  ),
  new Error('Connection terminated: session 4711 hangs'),
  new Error('Connection terminated unexpectedly'),
];

describe.each(ENDS)('the end of a session: $message', (end) => {
  const logged: string[] = [];
  beforeEach(() => {
    logged.length = 0;
    jest
      .spyOn(Logger.prototype, 'error')
      .mockImplementation((text) => void logged.push(String(text)));
  });
  afterEach(() => void jest.restoreAllMocks());

  const explained = (isPartlyAway: boolean) =>
    new DatabaseAvailability(() => isPartlyAway).explain(new Pool(), end) as DatabaseUnavailable;

  it('is not the end of the database while a worker does not answer', () => {
    expect(explained(true)).toMatchObject({ fault: 'partly-away' });
    expect(logged).toEqual([]);
  });

  it('is, when all workers answer', () => {
    expect(explained(false)).toMatchObject({ fault: 'away' });
    expect(logged).toEqual([expect.stringMatching(/^The database cannot be reached: /)]);
  });
});
