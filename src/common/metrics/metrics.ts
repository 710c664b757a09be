import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';

/**
 * The metrics of this process. Rooms add theirs to the registry, named `gatefold_<subject>_<unit>`;
 * labels have few values: never user ids, addresses or ids of rows.
 */
@Injectable()
export class Metrics {
  readonly registry = new Registry();
}
