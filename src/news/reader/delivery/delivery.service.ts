import { Injectable } from '@nestjs/common';
import { DeliveriesRepository } from './deliveries.repository.js';
import { ReadersRepository } from './readers.repository.js';

/**
 * Hands a user the articles that arrived since they last looked. Called where a client starts to
 * synchronise, never in the middle of its paging: a client that pages upwards and then goes on from
 * the highest last-modified it stored would otherwise skip changes to pages it already has.
 */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly deliveries: DeliveriesRepository,
  ) {}

  async deliverTo(userId: string): Promise<void> {
    const readerId = await this.readers.idOf(userId);
    if (readerId === null || !(await this.deliveries.isPending(readerId))) {
      return;
    }
    await this.readers.change(
      userId,
      (tx, reader) => this.deliveries.deliver(tx, reader),
      'deliveries',
    );
  }
}
