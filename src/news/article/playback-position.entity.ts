import { entityOf, p } from '../../database/entity-of.js';

/** How far a user has listened to a recording. */
export class PlaybackPositionEntity extends entityOf('playback_position', {
  readerId: p.bigint('number').primary(),
  itemId: p.bigint('number').primary(),
  positionSeconds: p.integer(),
  durationSeconds: p.integer().strictNullable(),
  device: p.text(),
  listenedAt: p.datetime(),
}) {}
