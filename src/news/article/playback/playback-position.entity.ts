import { defineEntity, p } from '@mikro-orm/core';

const PlaybackPositionSchema = defineEntity({
  name: 'PlaybackPositionEntity',
  tableName: 'playback_position',
  properties: {
    readerId: p.bigint('number').primary(),
    itemId: p.bigint('number').primary(),
    positionSeconds: p.integer(),
    durationSeconds: p.integer().strictNullable(),
    device: p.text(),
    listenedAt: p.datetime(),
  },
});

/** How far a user has listened to a recording. */
export class PlaybackPositionEntity extends PlaybackPositionSchema.class {}

PlaybackPositionSchema.setClass(PlaybackPositionEntity);
