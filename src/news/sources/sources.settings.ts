import { z } from 'zod';
import { settings, wholeNumber } from '../../common/config/settings.js';

/** How sources and their pictures are fetched. */
export class SourcesSettings extends settings('GATEFOLD_', {
  GATEFOLD_FETCHES: wholeNumber(1, 1000)
    .default(128)
    .describe('Feeds that the scheduler fetches at the same time, per process'),
  GATEFOLD_FETCH_TRANSFER_MIB: wholeNumber(1, 32)
    .default(5)
    .describe('MiB of a feed that are transferred; of a larger one the beginning is read'),
  GATEFOLD_FETCH_DOCUMENT_MIB: wholeNumber(1, 32)
    .default(10)
    .describe('The same after decompression; more memory and time per feed'),
  GATEFOLD_WEBSUB: z
    .enum(['auto', 'on', 'off'])
    .default('auto')
    .describe('Subscribe to WebSub hubs; auto: when GATEFOLD_BASE_URL is public and https'),
  GATEFOLD_PICTURES_CACHE_MIB: wholeNumber(0, 10_000_000)
    .default(1024)
    .describe('Maximum size, in MiB, of such pictures kept in the data folder; 0 keeps none'),
  GATEFOLD_LARGEST_PICTURE_MIB: wholeNumber(1, 100)
    .default(10)
    .describe('Maximum size, in MiB, of such a picture'),
}) {}
