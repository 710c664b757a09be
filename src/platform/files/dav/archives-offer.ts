import type { Response } from 'express';
import { Offer } from '../../../common/ports/offer.js';
import type { FilePath } from '../tree/file-path.js';

/** Without it, folders have no content. */
export class ArchivesOffer extends Offer<{
  /** Sends a folder as an archive. @throws FileNotFound, TreeTooLarge */
  send(response: Response, userId: string, path: FilePath): Promise<void>;
}> {}
