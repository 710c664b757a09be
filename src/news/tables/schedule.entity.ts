import { entityOf, p } from '../../database/entity-of.js';

/** Due date of a source, and the lease of the process that fetches it. */
export class SourceScheduleEntity extends entityOf('source_schedule', {
  sourceId: p.bigint('number').primary(),
  /** Host name that requests go to. */
  hostKey: p.text(),
  dueAt: p.datetime(),
  /** The publisher asked for no requests before this, after a failure. Counts until `dueAt` at most. */
  restsUntil: p.datetime().strictNullable(),
  /** While it is leased, `dueAt` is the end of the lease. */
  leaseToken: p.uuid().strictNullable(),
  /** Due again right after the running fetch. */
  wantedAgain: p.boolean().default(false),
  /** When `dueAt` was set; in the future after the clock was set back. */
  setAt: p.datetime().defaultRaw('now()'),
}) {}

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
