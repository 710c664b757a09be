import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../../database/database.js';
import { AppDaemonEntity, type Daemon } from './daemon.js';

@Injectable()
export class DaemonsRepository {
  constructor(private readonly database: Database) {}

  /** Sorted by name. */
  async list(): Promise<Daemon[]> {
    return this.database.entities((em) =>
      em.find(AppDaemonEntity, {}, { orderBy: { name: 'asc' } }),
    );
  }

  async find(name: string): Promise<Daemon | null> {
    return this.database.entities((em) => em.findOne(AppDaemonEntity, { name }));
  }

  /** The default daemon, or the only one. */
  async findDefault(): Promise<Daemon | null> {
    const daemons = await this.list();
    const only = daemons.length === 1 ? daemons[0] : undefined;
    return daemons.find(({ isDefault }) => isDefault) ?? only ?? null;
  }

  /** @returns false if the name is taken */
  async create(daemon: Daemon): Promise<boolean> {
    try {
      await this.database.transaction(async (tx) => {
        await tx.em.insert(AppDaemonEntity, daemon);
        await leaveOneDefault(tx, daemon);
      });
      return true;
    } catch (error) {
      if (error instanceof UniqueConstraintViolationException) {
        return false;
      }
      throw error;
    }
  }

  /** @returns false if there is no such daemon */
  async change(daemon: Daemon): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const changed = await tx.em.nativeUpdate(AppDaemonEntity, { name: daemon.name }, daemon);
      await leaveOneDefault(tx, daemon);
      return changed > 0;
    });
  }

  /** @returns false if there is no such daemon */
  async remove(name: string): Promise<boolean> {
    const removed = await this.database.entities((em) =>
      em.nativeDelete(AppDaemonEntity, { name }),
    );
    return removed > 0;
  }
}

async function leaveOneDefault({ em }: Transaction, { name, isDefault }: Daemon): Promise<void> {
  if (isDefault) {
    await em.nativeUpdate(AppDaemonEntity, { name: { $ne: name } }, { isDefault: false });
  }
}
