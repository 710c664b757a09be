import { Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Media } from '../../../common/contracts/operation.decorator.js';
import { ApiPost, Delete, Get, Put } from '../../../common/contracts/routes.js';
import { InTurn } from '../../../common/http/answer-turns.js';
import { Input, type In } from '../../../common/http/input.decorator.js';
import { orElse } from '../../../common/http/loose-inputs.js';
import { streamList } from '../../http/json-list-stream.js';
import { NewsController, V1_3 } from '../../http/levels.guard.js';
import { DONE_ONE, DoneOneAnswer } from '../../news.wire.js';
import { integer, ItemPath, text } from '../../parameters.js';
import { CurrentReader } from '../delivery/current-reader.decorator.js';
import type { Reader } from '../delivery/reader-ids.repository.js';
import { COLOURS } from './colours.js';
import type { Highlight } from './highlights.repository.js';
import { HighlightsService } from './highlights.service.js';
import { CONTEXT_CHARACTERS, NOTE_OF_ITEM } from './new-highlight.js';
import { writeMarkdown } from './write-markdown.js';

const HighlightSchema = z
  .object({
    id: z.int(),
    itemId: z.int(),
    exact: z.string().describe('The marked text; empty for the note of the item itself.'),
    prefix: z.string(),
    suffix: z.string(),
    position: z.int(),
    colour: z.string(),
    note: z.string().nullable(),
    createdAt: z.int().describe('Unix seconds.'),
    changedAt: z.int().describe('Unix seconds.'),
  })
  .meta({ id: 'Highlight' });

const HighlightsAnswer = z.object({ highlights: z.array(HighlightSchema) });

const ListedHighlightsAnswer = z.object({
  highlights: z.array(
    HighlightSchema.extend({
      feedId: z.int(),
      feedTitle: z.string(),
      title: z.string().nullable(),
      url: z.string().nullable(),
      author: z.string().nullable(),
      pubDate: z.int().describe('Unix seconds.'),
    }),
  ),
});

const HighlightAnswer = z.object({ highlight: HighlightSchema });

const MARKDOWN = 'text/markdown';

/** PostgreSQL stores no null character. */
const cleanText = text.transform((given) => given.replaceAll('\0', '').toWellFormed());

const note = z.union([cleanText, z.null()]).transform((given) => given?.trim() || null);
const colour = z.enum(COLOURS, { error: `must be ${COLOURS.join(', ')}` });

const CreateHighlight = z
  .object({
    itemId: integer,
    exact: orElse(cleanText, '').transform((given) => (given.trim() === '' ? '' : given)),
    prefix: orElse(cleanText, '').transform((given) => given.slice(-CONTEXT_CHARACTERS)),
    suffix: orElse(cleanText, '').transform((given) => given.slice(0, CONTEXT_CHARACTERS)),
    position: orElse(integer, 0).transform((given) => Math.min(Math.max(given, 0), 2 ** 31 - 1)),
    colour: orElse(colour, COLOURS[0]),
    note: note.default(null),
  })
  .refine((given) => given.exact !== '' || given.note !== null, {
    path: ['exact'],
    error: 'is required, or a note of the item',
  })
  .transform((given) => (given.exact === '' ? { ...given, ...NOTE_OF_ITEM } : given));

const ChangeHighlight = z.object({
  highlightId: integer,
  note: note.optional(),
  colour: colour.optional(),
});

const HighlightPath = z.object({ highlightId: integer });

const ListHighlights = z.object({
  batchSize: orElse(integer, -1),
  offset: orElse(integer, 0),
  format: orElse(z.enum(['json', 'markdown', ''], { error: 'must be json or markdown' }), ''),
});

/** @see docs/news-api.md "Highlights" */
@NewsController(V1_3, '')
export class HighlightsV13Controller {
  constructor(private readonly highlights: HighlightsService) {}

  @InTurn()
  @Get('items/:itemId/highlights', 'Lists the highlights of an item.', HighlightsAnswer)
  async ofItem(@CurrentReader() reader: Reader, @Input(ItemPath) { itemId }: In<typeof ItemPath>) {
    return { highlights: (await this.highlights.ofItem(reader, itemId)).map(toJson) };
  }

  @ApiPost('items/:itemId/highlights', 'Highlights words of an item.', HighlightAnswer)
  async create(
    @CurrentReader() reader: Reader,
    @Input(CreateHighlight) given: In<typeof CreateHighlight>,
  ) {
    return { highlight: toJson(await this.highlights.create(reader, given)) };
  }

  @Put('highlights/:highlightId', 'Changes the note or colour of a highlight.', HighlightAnswer)
  async change(
    @CurrentReader() reader: Reader,
    @Input(ChangeHighlight) { highlightId, note, colour }: In<typeof ChangeHighlight>,
  ) {
    const highlight = await this.highlights.change(reader, highlightId, { note, colour });
    return { highlight: toJson(highlight) };
  }

  @Delete('highlights/:highlightId', 'Removes a highlight.', DoneOneAnswer)
  async remove(
    @CurrentReader() reader: Reader,
    @Input(HighlightPath) { highlightId }: In<typeof HighlightPath>,
  ) {
    await this.highlights.remove(reader, highlightId);
    return DONE_ONE;
  }

  @Get('highlights', 'Lists the highlights of the caller.', ListedHighlightsAnswer, {
    otherForms: [new Media(MARKDOWN, 'One document with all of them, by article.')],
  })
  async list(
    @CurrentReader() reader: Reader,
    @Input(ListHighlights) { batchSize, offset, format }: In<typeof ListHighlights>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const asked = format === '' ? request.accepts(['application/json', MARKDOWN]) : format;
    if (asked === 'markdown' || asked === MARKDOWN) {
      response.set('Content-Disposition', 'attachment; filename="highlights.md"');
      await streamList(
        response,
        writeMarkdown(this.highlights.list(reader, 'article', null, null)),
        {
          head: '',
          toText: (piece) => piece,
          tail: () => '',
          encoding: 'utf8',
          contentType: `${MARKDOWN}; charset=utf-8`,
          separator: '',
        },
      );
      return;
    }
    const batches = this.highlights.list(
      reader,
      'newest',
      offset <= 0 ? null : offset,
      batchSize <= 0 ? null : batchSize,
    );
    await streamList(response, batches, {
      head: '{"highlights":[',
      toText: (highlight) => JSON.stringify(toJson(highlight)),
      tail: () => ']}',
      encoding: 'utf8',
    });
  }
}

function toJson<Of extends Highlight>({ createdSeconds, changedSeconds, ...highlight }: Of) {
  return { ...highlight, createdAt: createdSeconds, changedAt: changedSeconds };
}
