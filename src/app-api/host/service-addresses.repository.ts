import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { entityOf, p } from '../../database/entity-of.js';

/** An address at which a process of the service listens. */
export class ServiceAddressEntity extends entityOf('service_address', {
  address: p.text().primary(),
  announcedAt: p.datetime().defaultRaw('now()'),
}) {}

/** A process that crashes leaves its address behind. */
const MOST_KEPT = 20;

/** Addresses that processes of the service listen at. */
@Injectable()
export class ServiceAddressesRepository {
  constructor(private readonly database: Database) {}

  /** Inserts or renews an address and deletes the oldest ones. */
  async announce(address: string): Promise<void> {
    await this.database.query(
      `with pruned as (
         delete from service_address where address in (
           select address from service_address order by announced_at desc offset $2)
       )
       insert into service_address (address) values ($1)
       on conflict (address) do update set announced_at = now()`,
      [address, MOST_KEPT - 1],
    );
  }

  async withdraw(address: string): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(ServiceAddressEntity, { address }));
  }

  /** Latest first. */
  async list(): Promise<string[]> {
    const rows = await this.database.entities((em) =>
      em.find(ServiceAddressEntity, {}, { orderBy: { announcedAt: 'desc' } }),
    );
    return rows.map(({ address }) => address);
  }
}
