import { z } from 'zod';
import type { PlaybackPosition } from './playback.repository.js';

/** Times in seconds. */
export function toPositionJson(position: PlaybackPosition) {
  const { itemId, positionSeconds, durationSeconds, device, listenedSeconds } = position;
  return {
    itemId,
    position: positionSeconds,
    duration: durationSeconds,
    device,
    listenedAt: listenedSeconds,
  };
}

const PositionSchema = z
  .object({
    itemId: z.int(),
    position: z.number().describe('Seconds.'),
    duration: z.number().nullable().describe('Seconds.'),
    device: z.string(),
    listenedAt: z.int().describe('Unix seconds.'),
  })
  .meta({ id: 'Position' });

export const PositionsAnswer = z.object({ positions: z.array(PositionSchema) });

export const PositionAnswer = z.object({ position: PositionSchema });
