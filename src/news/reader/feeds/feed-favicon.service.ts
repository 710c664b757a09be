import { Injectable } from '@nestjs/common';
import { FaviconsService } from '../../sources/favicons/favicons.service.js';
import type { Icon } from '../../sources/favicons/icons.repository.js';
import { ReadersRepository } from '../delivery/readers.repository.js';

/** The icons of a user's feeds. */
@Injectable()
export class FeedFaviconService {
  constructor(
    private readonly readers: ReadersRepository,
    private readonly favicons: FaviconsService,
  ) {}

  /** @see FaviconsService.find */
  async find(userId: string, addressHash: string): Promise<Icon> {
    return this.favicons.find(await this.readers.idOf(userId), addressHash);
  }
}
