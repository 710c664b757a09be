import { Injectable } from '@nestjs/common';
import { PublicAddress } from '../../common/http/public-address.js';
import type { Account } from '../../common/ports/user-directory.js';
import { FilesService } from '../tree/files.service.js';
import { LocksService } from '../locks/locks.service.js';
import type { StoredNode } from '../tree/nodes.repository.js';
import { TreeLimits } from '../tree/tree-limits.js';
import { hrefOf, type DavAddress } from '../dav/dav-address.js';
import { nodeResponse } from '../dav/multistatus.js';
import { COUNTING_PROPERTIES, type PropertyContext, type ShownNode } from './properties.js';
import type { PropertyRequest } from './property-request.js';
import type { SearchRequest } from '../search/search-request.js';

/** Writes out what clients ask to know about nodes. */
@Injectable()
export class Listing {
  constructor(
    private readonly files: FilesService,
    private readonly locks: LocksService,
    private readonly publicAddress: PublicAddress,
    private readonly treeLimits: TreeLimits,
  ) {}

  /** In front of every path: where the installation is, if not at the root of its host. */
  get prefix(): string {
    return new URL(this.publicAddress.root).pathname.replace(/\/$/, '');
  }

  /**
   * A node, and when it is a folder what is in it: so many levels below.
   *
   * @param levels Infinity for everything
   * @throws FileNotFound, TreeTooLarge
   */
  async *of(
    account: Account,
    address: DavAddress,
    request: PropertyRequest,
    levels: number,
  ): AsyncGenerator<string, void, undefined> {
    const { node, path, ancestorIds, top } = await this.files.locate(account.userId, address.path);
    if (levels > 1) {
      this.treeLimits.assertFewEnough(node.nodeCount);
    }
    const context = await this.#context(account, address, top);
    const counts = request.names.some((name) => COUNTING_PROPERTIES.has(name));
    const href = context.addressOf(path, node.isFolder);
    const counted = counts && node.isFolder ? { ...node, ...(await this.files.count(node)) } : node;
    const shown = { node: counted, path, ancestorIds };
    yield nodeResponse(href, shown, request, context);
    yield* this.#below(shown, levels, counts, request, context);
  }

  /** Piece by piece; what is in a folder comes right behind it. */
  async *#below(
    { node: folder, path, ancestorIds }: ShownNode,
    levels: number,
    counts: boolean,
    request: PropertyRequest,
    context: PropertyContext,
  ): AsyncGenerator<string, void, undefined> {
    if (levels === 0 || !folder.isFolder) {
      return;
    }
    const folderIds = [...ancestorIds, folder.id];
    const folderHref = context.addressOf(path, true);
    for await (const members of this.files.members(folder, counts)) {
      let text = '';
      for (const node of members) {
        const shown = { node, path: [...path, node.name], ancestorIds: folderIds };
        const href = `${folderHref}${encodeURIComponent(node.name)}${node.isFolder ? '/' : ''}`;
        text += nodeResponse(href, shown, request, context);
        if (levels > 1 && node.isFolder) {
          yield text;
          text = '';
          yield* this.#below(shown, levels - 1, counts, request, context);
        }
      }
      yield text;
    }
  }

  /** What is marked as favorite in a folder or anywhere below. */
  async favorites(
    account: Account,
    address: DavAddress,
    request: PropertyRequest,
  ): Promise<string[]> {
    const { top } = await this.files.locate(account.userId, address.path);
    const context = await this.#context(account, address, top);
    const favorites = await this.files.favorites(account.userId, address.path);
    return favorites.map((node) => {
      const { path, ancestorIds } = node;
      const href = context.addressOf(path, node.isFolder);
      return nodeResponse(href, { node, path, ancestorIds }, request, context);
    });
  }

  /** What is found in a folder, the folder itself not among it. */
  async *found(
    account: Account,
    { scope, depth, wanted, ...search }: SearchRequest,
  ): AsyncGenerator<string, void, undefined> {
    const { node: folder, top } = await this.files.locate(account.userId, scope.path);
    const context = await this.#context(account, scope, top);
    for await (const nodes of this.files.search({ ...search, folder, depth })) {
      yield nodes
        .map((node) => {
          const { path, ancestorIds } = node;
          const href = context.addressOf(path, node.isFolder);
          return nodeResponse(href, { node, path, ancestorIds }, wanted, context);
        })
        .join('');
    }
  }

  async #context(
    account: Account,
    { mount }: DavAddress,
    top: StoredNode,
  ): Promise<PropertyContext> {
    return {
      ownerName: account.displayName,
      instanceId: await this.files.instanceId(),
      roomLeftBytes: this.files.roomLeftBytes(top),
      locks: await this.locks.list(account.userId),
      addressOf: (path, isFolder) => hrefOf(this.prefix, { mount, path }, isFolder),
    };
  }
}
