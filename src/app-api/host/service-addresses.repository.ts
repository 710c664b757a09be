import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';

/** Processes that ended without taking their address back leave it here. */
const MOST_KEPT = 20;

/** Where processes of the service said that they listen. */
@Injectable()
export class ServiceAddressesRepository {
  constructor(private readonly database: Database) {}

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
    await this.database.query('delete from service_address where address = $1', [address]);
  }

  /** The latest first. */
  async list(): Promise<string[]> {
    const rows = await this.database.query<{ address: string }>(
      'select address from service_address order by announced_at desc',
    );
    return rows.map(({ address }) => address);
  }
}
