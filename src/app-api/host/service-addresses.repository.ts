import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { ServiceAddressEntity } from './service-address.entity.js';
import { announceAddress } from './service-addresses.sql.js';

/** Addresses that processes of the service listen at. */
@Injectable()
export class ServiceAddressesRepository {
  constructor(private readonly database: Database) {}

  async announce(address: string): Promise<void> {
    await announceAddress(this.database, address);
  }

  async withdraw(address: string): Promise<void> {
    await this.database.entities((em) => em.nativeDelete(ServiceAddressEntity, { address }));
  }

  /** Latest first. */
  async list(): Promise<string[]> {
    const rows = await this.database.entities((em) =>
      em.find(
        ServiceAddressEntity,
        {},
        { orderBy: { announcedAt: 'desc' }, disableIdentityMap: true },
      ),
    );
    return rows.map(({ address }) => address);
  }
}
