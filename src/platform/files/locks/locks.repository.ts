import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Database, type SqlRunner, type Transaction } from '../../../database/database.js';
import { FileLockEntity } from './file-lock.entity.js';
import {
  deleteExpiredLocks,
  deleteLocksWithin,
  extendLock,
  insertLock,
  listLocks,
  type FileLock,
} from './locks.sql.js';

/** Locks that have not expired. */
@Injectable()
export class LocksRepository {
  constructor(private readonly database: Database) {}

  async list(userId: string, runner: SqlRunner = this.database): Promise<FileLock[]> {
    return listLocks(runner, userId);
  }

  /** @returns the new lock's token */
  async add(
    tx: Transaction,
    userId: string,
    lock: Pick<FileLock, 'nodeId' | 'isDeep' | 'owner'>,
    timeoutSeconds: number,
  ): Promise<string> {
    const token = randomUUID();
    await deleteExpiredLocks(tx, userId);
    await insertLock(tx, userId, { ...lock, token }, timeoutSeconds);
    return token;
  }

  readonly extend = extendLock;

  async remove(tx: Transaction, userId: string, token: string): Promise<void> {
    await tx.em.nativeDelete(FileLockEntity, { userId, token });
  }

  /** Removes locks on a node and on everything below it: a lock does not move with its node. */
  readonly removeWithin = deleteLocksWithin;
}
