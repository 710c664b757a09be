import { z } from 'zod';
import { Get, Put } from '../../common/contracts/routes.js';
import { InTurn } from '../../common/http/answer-turns.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { NewsController, V1_3 } from '../http/levels.guard.js';
import { ItemPath } from '../parameters.js';
import { CurrentReader } from '../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import type { PlaybackPosition } from './playback.repository.js';
import { PlaybackService } from './playback.service.js';

const PositionSchema = z
  .object({
    itemId: z.int(),
    position: z.number().describe('Seconds.'),
    duration: z.number().nullable().describe('Seconds.'),
    device: z.string(),
    listenedAt: z.int().describe('Unix seconds.'),
  })
  .meta({ id: 'Position' });

const PositionsAnswer = z.object({ positions: z.array(PositionSchema) });

const PositionAnswer = z.object({ position: PositionSchema });

/** A week and some: longer than any recording. */
const LONGEST_SECONDS = 1_000_000;
const LONGEST_AGO_SECONDS = 30 * 86_400;

const seconds = z
  .number({ error: 'must be a number of seconds' })
  .min(0, { error: 'must not be negative' })
  .max(LONGEST_SECONDS, { error: `must be at most ${LONGEST_SECONDS}` })
  .transform(Math.round);

const Heard = z.object({
  ...ItemPath.shape,
  position: seconds,
  duration: seconds.nullable().default(null),
  device: z.string().trim().max(64).default(''),
  /** Devices that were offline report late. */
  secondsAgo: z
    .number()
    .min(0)
    .transform((ago) => Math.min(ago, LONGEST_AGO_SECONDS))
    .default(0),
});

/**
 * How far recordings were listened to: an extension of the reference.
 *
 * @see docs/news-api.md "Positions in recordings"
 */
@NewsController(V1_3, 'playback')
export class PlaybackV13Controller {
  constructor(private readonly playback: PlaybackService) {}

  @InTurn()
  @Get('', 'Lists how far recordings were listened to.', PositionsAnswer)
  async list(@CurrentReader() reader: Reader) {
    const positions = await this.playback.list(reader);
    return { positions: positions.map((position) => toPositionJson(position)) };
  }

  @Put(':itemId', 'Keeps how far a recording was listened to.', PositionAnswer)
  async keep(
    @CurrentReader() reader: Reader,
    @Input(Heard) { position, duration, ...heard }: In<typeof Heard>,
  ) {
    const kept = await this.playback.keep(reader, {
      ...heard,
      positionSeconds: position,
      durationSeconds: duration,
    });
    return { position: toPositionJson(kept) };
  }
}

/** Times in seconds. */
function toPositionJson(position: PlaybackPosition) {
  const { itemId, positionSeconds, durationSeconds, device, listenedSeconds } = position;
  return {
    itemId,
    position: positionSeconds,
    duration: durationSeconds,
    device,
    listenedAt: listenedSeconds,
  };
}
