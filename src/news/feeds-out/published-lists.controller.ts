import { Controller, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { InScope } from '../../common/auth/in-scope.decorator.js';
import { Config } from '../../common/config/config.js';
import { PublicAddress } from '../../common/config/public-address.js';
import { Media } from '../../common/contracts/operation.decorator.js';
import { Get } from '../../common/contracts/routes.js';
import { Input, type In } from '../../common/http/input.decorator.js';
import { sendStream } from '../../common/http/send-stream.js';
import { languageOf, type Language } from '../../common/texts/languages.js';
import { FeedOutNotFound } from './feeds-out.errors.js';
import { ListReading, type Version } from './list-reading.service.js';
import { ListVisitorGuard } from './list-visitor.guard.js';
import type { PublishedList } from './published-entry.js';
import { writeAtom, type ListAddresses } from './write-atom.js';
import { writeJsonFeed } from './write-json-feed.js';
import { listPolicy, writeListPage } from './write-list-page.js';

/** Below the root of the service; the token follows. */
export const LISTS_PATH = '/apps/news/out';

const ListPath = z.object({ token: z.string() });

const ATOM_ANSWER = new Media('application/atom+xml', 'The feed.');
const JSON_ANSWER = new Media('application/feed+json', 'The feed.');
const PAGE_ANSWER = new Media('text/html', 'The page.');
/** To conditional requests. */
const UNCHANGED = { empty: [304] };

/** Of all formats. */
const HEADERS = {
  // Kept, but asked for each time: what is taken back ends at once.
  'Cache-Control': 'private, no-cache',
  'X-Robots-Tag': 'noindex, nofollow, noarchive',
  'Referrer-Policy': 'no-referrer',
};

interface Format {
  readonly headers: Readonly<Record<string, string>>;
  /** Distinguishes versions of one address. */
  readonly variant: string;
  /** Whether there is one of a single article. */
  readonly ofArticles: boolean;
  readonly write: (list: PublishedList, addresses: ListAddresses) => Iterable<string>;
}

const ATOM: Format = {
  headers: { 'Content-Type': 'application/atom+xml; charset=utf-8' },
  variant: '',
  ofArticles: false,
  write: writeAtom,
};
const JSON_FEED: Format = {
  headers: { 'Content-Type': 'application/feed+json; charset=utf-8' },
  variant: '',
  ofArticles: false,
  write: writeJsonFeed,
};

const pageIn = (language: Language, pictures: 'direct' | 'proxy'): Format => ({
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': listPolicy(pictures),
    'Content-Language': language,
    Vary: 'Accept-Language',
  },
  variant: language,
  ofArticles: true,
  write: (list, addresses) => writeListPage(list, addresses, language),
});

/**
 * Published lists, for those who have the address. The token is in the path, which logs of proxies do not keep with
 * the query; no answer sets a cookie, is found by search engines, or tells other sites the address.
 *
 * @see docs/decisions/0110-feeds-out.md
 */
@Controller(`${LISTS_PATH}/:token`)
@InScope('reader')
@UseGuards(ListVisitorGuard)
export class PublishedListsController {
  constructor(
    private readonly reading: ListReading,
    private readonly address: PublicAddress,
    private readonly config: Config,
  ) {}

  @Get('feed.atom', 'Shows a published list as an Atom feed.', ATOM_ANSWER, UNCHANGED)
  async atom(
    @Input(ListPath) { token }: In<typeof ListPath>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.#send(token, ATOM, request, response);
  }

  @Get('feed.json', 'Shows a published list as a JSON Feed.', JSON_ANSWER, UNCHANGED)
  async json(
    @Input(ListPath) { token }: In<typeof ListPath>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.#send(token, JSON_FEED, request, response);
  }

  @Get('', 'Shows a published list or article as a page.', PAGE_ANSWER, UNCHANGED)
  async page(
    @Input(ListPath) { token }: In<typeof ListPath>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const format = pageIn(languageOf(request), this.config.pictures);
    await this.#send(token, format, request, response);
  }

  /** @throws FeedOutNotFound, ReadTooOften, ShareUsed */
  async #send(token: string, format: Format, request: Request, response: Response): Promise<void> {
    const opened = await this.reading.open(token);
    FeedOutNotFound.unless(format.ofArticles || !opened.isArticle);
    const known = opened.version;
    const isKnown = known !== null && isUnchanged(known, format, response);
    const { list, version } = isKnown ? { list: null, version: known } : await opened.read();
    const isFresh = isUnchanged(version, format, response);
    response.set({ ...HEADERS, ...format.headers });
    if (list === null || isFresh) {
      response.status(304).end();
      return;
    }
    const root = `${this.address.rootFor(request)}${LISTS_PATH}/${token}`;
    const addresses = { page: root, atom: `${root}/feed.atom`, json: `${root}/feed.json` };
    await sendStream(response, Readable.from(format.write(list, addresses)));
  }
}

/** Sets what conditional requests compare. @returns whether the client has this version */
function isUnchanged(
  { tag, sinceSeconds }: Version,
  { variant }: Format,
  response: Response,
): boolean {
  response.set({
    ETag: `W/"${tag}${variant}"`,
    'Last-Modified': new Date(sinceSeconds * 1000).toUTCString(),
  });
  return response.req.fresh;
}
