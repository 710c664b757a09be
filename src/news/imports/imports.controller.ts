import { Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { Media } from '../../common/contracts/operation.decorator.js';
import { ApiPost, Delete, Get } from '../../common/contracts/routes.js';
import { ConcurrencyLimit } from '../../common/http/concurrency-limit.decorator.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { AccountRestores, type ShownRestore } from '../../common/ports/account-restores.js';
import { shownSentence } from '../../common/texts/visitor-language.js';
import { EVERY_LEVEL, NewsController } from '../http/levels.guard.js';
import { DONE_ONE, DoneOneAnswer } from '../news.wire.js';
import { integer } from '../parameters.js';
import { CurrentReader } from '../reader/delivery/current-reader.decorator.js';
import type { Reader } from '../reader/delivery/reader-ids.repository.js';
import { ImportUploads } from './import-uploads.service.js';
import type { NewsImport } from './imports.repository.js';
import { canBeUndone, ImportsService, type ShownImport } from './imports.service.js';
import { omissionsOf } from './omissions.js';
import { programOf } from './programs.js';

const NUMBER = z.int().default(0);

const ImportSchema = z
  .object({
    id: z.int(),
    format: z.string().describe('Of the file, for instance `freshrss`.'),
    program: z.string().describe('The name of the program that wrote it.'),
    state: z.enum(['preview', 'running', 'done', 'cancelled', 'undoing', 'undone']),
    createdAt: z.int().describe('Unix seconds.'),
    startedAt: z.int().nullable(),
    endedAt: z.int().nullable(),
    rows: z.int(),
    doneRows: z.int(),
    canBeUndone: z.boolean(),
    hasFeedList: z.boolean().describe('Whether it has lists of feeds that are not followed yet.'),
    preview: z.object({
      articles: NUMBER.describe('Rows with a feed; the others are `pages`.'),
      ofFollowedFeeds: NUMBER.describe(
        'Of these articles, those of feeds that the caller follows.',
      ),
      pages: NUMBER,
      found: NUMBER.describe('The caller has them.'),
      toStore: NUMBER,
      notFound: NUMBER.describe(
        'They only tell the state of articles that the caller does not have.',
      ),
      unread: NUMBER,
      starred: NUMBER,
      labelled: NUMBER,
      noted: NUMBER,
    }),
    outcome: z.object({
      stored: NUMBER,
      found: NUMBER,
      starred: NUMBER,
      labelled: NUMBER,
      read: NUMBER,
      noted: NUMBER,
      notFound: NUMBER,
      feeds: NUMBER,
    }),
    leftOut: z
      .array(z.object({ reason: z.string(), count: z.int() }))
      .describe('What is not taken, by its reason: a sentence.'),
  })
  .meta({ id: 'Import' });

const ImportsAnswer = z.object({ imports: z.array(ImportSchema) });

const ImportAnswer = z.object({
  import: ImportSchema.extend({
    places: z.array(z.object({ place: z.string(), reason: z.string() })).describe('The first 100.'),
    feeds: z
      .array(
        z.object({
          url: z.string(),
          title: z.string().nullable(),
          folder: z.string().nullable(),
          feedId: z.int().nullable(),
        }),
      )
      .describe('Feeds that the file names, which are not followed by themselves.'),
    rest: z
      .object({
        state: z.enum(['waiting', 'working', 'done', 'failed']),
        problem: z.string().nullable().describe('Why it failed: a sentence.'),
      })
      .nullable()
      .describe(
        'What becomes of an archive of Gatefold when its articles are imported: settings, files and the rest, of which `leftOut` and `places` tell as well.',
      ),
  }),
});

const ImportPath = z.object({ importId: integer });

/**
 * Files of other readers. Not part of the specification.
 *
 * @see docs/news-api.md "Imports"
 */
@NewsController(EVERY_LEVEL, 'imports')
export class ImportsController {
  constructor(
    private readonly imports: ImportsService,
    private readonly uploads: ImportUploads,
    private readonly restores: AccountRestores,
  ) {}

  @ApiPost('', 'Reads a file of another reader, and tells what it holds.', ImportAnswer, {
    body: new Media('multipart/form-data', 'A form with the file; or the file as the body.'),
  })
  @ConcurrencyLimit('imports')
  async read(@CurrentReader() reader: Reader, @Req() request: Request) {
    return this.#answer(reader, await this.uploads.read(reader, request));
  }

  @Get('', 'Lists imports, newest first.', ImportsAnswer)
  async list(@CurrentReader() reader: Reader) {
    return { imports: (await this.imports.list(reader)).map(toJson) };
  }

  @Get(':importId', 'Shows an import and its progress.', ImportAnswer)
  async one(
    @CurrentReader() reader: Reader,
    @Input(ImportPath) { importId }: In<typeof ImportPath>,
  ) {
    return this.#answer(reader, await this.imports.one(reader, importId));
  }

  @ApiPost(':importId/start', 'Starts an import after its preview.', ImportAnswer)
  async start(
    @CurrentReader() reader: Reader,
    @Input(ImportPath) { importId }: In<typeof ImportPath>,
  ) {
    await this.imports.start(reader, importId);
    return this.#answer(reader, await this.imports.one(reader, importId));
  }

  @ApiPost(
    ':importId/undo',
    'Takes back what an import did, where nothing changed since.',
    ImportAnswer,
  )
  async undo(
    @CurrentReader() reader: Reader,
    @Input(ImportPath) { importId }: In<typeof ImportPath>,
  ) {
    await this.imports.undo(reader, importId);
    return this.#answer(reader, await this.imports.one(reader, importId));
  }

  @Delete(':importId', 'Stops an import that is under way; forgets any other one.', DoneOneAnswer)
  async remove(
    @CurrentReader() reader: Reader,
    @Input(ImportPath) { importId }: In<typeof ImportPath>,
  ) {
    await this.imports.remove(reader, importId);
    return DONE_ONE;
  }

  async #answer({ userId }: Reader, found: ShownImport) {
    const mayHaveRest = found.format === 'gatefold' && found.state === 'done';
    const rest = mayHaveRest ? await this.restores.show(userId) : null;
    return toAnswer(found, rest?.askedSeconds === found.createdSeconds ? rest : null);
  }
}

function toJson(found: NewsImport) {
  const { preview, outcome } = ImportSchema.pick({ preview: true, outcome: true }).parse(found);
  return {
    id: found.id,
    format: found.format,
    program: programOf(found.format),
    state: found.state as Exclude<NewsImport['state'], 'reading'>,
    createdAt: found.createdSeconds,
    startedAt: found.startedSeconds,
    endedAt: found.endedSeconds,
    rows: found.rowCount,
    doneRows: found.doneCount,
    canBeUndone: canBeUndone(found),
    hasFeedList: found.hasOpml,
    preview,
    outcome,
    leftOut: found.leftOut.reasons.map(({ reason, count }) => ({
      reason: shownSentence(reason),
      count,
    })),
  };
}

function toAnswer(found: ShownImport, rest: ShownRestore | null) {
  const omissions = omissionsOf(found.leftOut);
  for (const { reason, count, what } of rest?.leftOut ?? []) {
    what.forEach((one) => omissions.tell(one, reason));
    omissions.tell(null, reason, count - what.length);
  }
  const leftOut = omissions.all();
  const places = leftOut.places.map(({ place, reason }) => ({
    place,
    reason: shownSentence(reason),
  }));
  const state = rest?.state === 'ready' ? 'waiting' : rest?.state;
  return {
    import: {
      ...toJson({ ...found, leftOut }),
      places,
      feeds: found.namedFeeds,
      rest: state ? { state, problem: shownSentence(rest?.problem ?? null) } : null,
    },
  };
}
