import { Injectable } from '@nestjs/common';
import type { Account } from '../../../common/ports/user-directory.js';
import { Listing } from '../properties/listing.service.js';
import { nodeResponse } from '../properties/multistatus.js';
import { FilesService } from '../tree/files.service.js';
import type { SearchRequest } from './search-request.js';
import { SearchRepository } from './search.repository.js';

/** Searches a user's own files (RFC 5323). */
@Injectable()
export class SearchService {
  constructor(
    private readonly files: FilesService,
    private readonly listing: Listing,
    private readonly repository: SearchRepository,
  ) {}

  /**
   * Yields the `d:response` elements of the nodes found below the scope, page by page.
   *
   * @throws FileNotFound when the scope does not exist
   */
  async *find(
    account: Account,
    { scope, wanted, ...search }: SearchRequest,
  ): AsyncGenerator<string, void, undefined> {
    const { node: folder, top } = await this.files.locate(account.userId, scope.path);
    const context = await this.listing.contextOf(account, scope, top);
    for await (const nodes of this.repository.find({ ...search, folder })) {
      yield nodes.map((node) => nodeResponse({ node, ...node }, wanted, context)).join('');
    }
  }
}
