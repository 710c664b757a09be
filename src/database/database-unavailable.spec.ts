import { describe, expect, it } from '@jest/globals';
import { DatabaseError } from 'pg';
import { databaseFault } from './database-unavailable.js';

function anError(message: string, fields: Partial<DatabaseError>): DatabaseError {
  return Object.assign(new DatabaseError(message, 0, 'error'), { severity: 'ERROR', ...fields });
}

/* As Citus 13.2 sends them when a worker is killed, at different moments of a transaction. */
describe('an error of the coordinator of a cluster', () => {
  const remote = 'connection to the remote node gatefold@127.0.0.1:40337 failed with the following';
  const where = 'while executing command on 127.0.0.1:40337';

  it.each([
    ['08006', `${remote} error: Connection refused\n\tIs the server running on that host?`, ''],
    ['08006', `${remote} error: connection not open`, ''],
    ['08006', `${remote} error: FATAL:  the database system is starting up`, ''],
    ['08006', `${remote} error: server closed the connection unexpectedly`, ''],
    ['57P01', 'terminating connection due to administrator command', where],
    ['57P02', 'terminating connection because of crash of another server process', where],
    ['XX000', 'could not commit transaction for shard 102010 on at least one active node', ''],
    ['XX000', 'failure on connection marked as essential: 127.0.0.1:40337', ''],
    ['58030', 'failed to COPY to shard 0 on 127.0.0.1:40337', ''],
    ['XX000', 'terminating connection due to administrator command', ''],
    ['XX000', 'SSL SYSCALL error: EOF detected\ninvalid socket', where],
    ['XX000', 'server closed the connection unexpectedly', where],
  ])('%s %s is about one worker', (code, message, context) => {
    expect(databaseFault(anError(message, { code, where: context }))).toBe('partly-away');
  });

  it('that ends its own connection is about the database', () => {
    expect(
      databaseFault(
        anError('terminating connection due to administrator command', {
          code: '57P01',
          severity: 'FATAL',
        }),
      ),
    ).toBe('away');
  });

  it.each([
    ['XX000', 'cache lookup failed for type 1', where],
    ['XX000', 'server closed the connection unexpectedly, says a text of ours', ''],
    ['58030', 'could not read block 1 in file "base/1/2": Input/output error', ''],
    ['23505', 'duplicate key value violates unique constraint "item_pkey_102010"', where],
  ])('%s %s is about the statement', (code, message, context) => {
    expect(databaseFault(anError(message, { code, where: context }))).toBeUndefined();
  });
});

describe('an error that passes', () => {
  it.each([
    ['40P01', 'deadlock detected', 'locked'],
    ['40001', 'could not serialize access due to concurrent update', 'locked'],
    ['55P03', 'canceling statement due to lock timeout', 'locked'],
    ['57014', 'canceling statement due to statement timeout', 'slow'],
    ['0A000', 'cached plan must not change result type', 'upgraded'],
  ])('%s %s is not about the statement', (code, message, fault) => {
    expect(databaseFault(anError(message, { code }))).toBe(fault);
  });
});
