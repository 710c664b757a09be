import { entityOf, p } from '../../../database/entity-of.js';

/** Rate limiting of one host, for all processes together. */
export class HostStateEntity extends entityOf('host_state', {
  hostKey: p.text().primary(),
  /** Start of the first free slot. */
  nextSlotAt: p.datetime(),
  previousSlotAt: p.datetime().strictNullable(),
  /** The host asked for no requests before this. */
  notBefore: p.datetime().strictNullable(),
  /** An allow-listed host, which needs no gap between requests. */
  unspaced: p.boolean().default(false),
  notBeforeSetAt: p.datetime().defaultRaw('now()'),
}) {}
