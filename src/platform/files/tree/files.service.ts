import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { Capabilities } from '../../../common/ports/capabilities.js';
import type { FileNode, FileNodes } from '../../../common/ports/file-nodes.js';
import { AccountDeletionHooks } from '../../../common/ports/hooks.js';
import { FileNotFound } from '../files.errors.js';
import { FilesSettings } from '../files.settings.js';
import { Quotas } from '../quotas/quotas.service.js';
import { InstallationRepository } from '../stores/installation.repository.js';
import { toEventNode } from './file-events.service.js';
import { isWithin, toFilePath, type ExistingPath, type FilePath } from './file-path.js';
import { NodesRepository } from './nodes.repository.js';
import type { MemberCounts, NodeWithPath, StoredNode } from './nodes.sql.js';
import { TreeRemovals } from './tree-removals.task.js';

/** Reads users' trees; also answers the port `FileNodes` of other rooms. */
@Injectable()
export class FilesService implements FileNodes, OnModuleInit {
  constructor(
    private readonly nodes: NodesRepository,
    private readonly installation: InstallationRepository,
    private readonly config: Config,
    private readonly settings: FilesSettings,
    private readonly deletionHooks: AccountDeletionHooks,
    private readonly capabilities: Capabilities,
    private readonly quotas: Quotas,
    private readonly removals: TreeRemovals,
  ) {}

  onModuleInit(): void {
    this.deletionHooks.add((userId) => this.removals.removeAllOfUser(userId));
    const hasExtras = this.config.parts.has('files-extras');
    this.capabilities.contribute((account) =>
      account === undefined
        ? {}
        : {
            files: {
              bigfilechunking: hasExtras,
              undelete: hasExtras && this.settings.trashDays > 0,
              versioning: false,
            },
            ...(hasExtras && { dav: { chunking: '1.0' } }),
          },
    );
  }

  async find(userId: string, fileIds: readonly number[]): Promise<FileNode[]> {
    const instanceId = await this.instanceId();
    const found = new Map(
      (await this.nodes.findWithPaths(userId, fileIds)).map((node) => [node.id, node]),
    );
    return fileIds.flatMap((id) => {
      const node = found.get(id);
      return node === undefined ? [] : toEventNode(node, node.path, instanceId);
    });
  }

  async hasFolder(userId: string, names: readonly string[]): Promise<boolean> {
    return (await this.nodes.resolve(userId, toFilePath(names))).node?.isFolder ?? false;
  }

  async locate(userId: string, path: FilePath): Promise<ExistingPath> {
    return this.nodes.locate(userId, path);
  }

  /** @throws FileNotFound */
  async locateById(userId: string, fileId: number): Promise<StoredNode> {
    const [node] = await this.nodes.findWithPaths(userId, [fileId]);
    return FileNotFound.unless(node, String(fileId));
  }

  /** Favorites in a folder and everywhere below. */
  async favorites(userId: string, folder: FilePath): Promise<(NodeWithPath & MemberCounts)[]> {
    const favorites = await this.nodes.favorites(userId);
    return favorites.filter(({ path }) => isWithin(path, folder));
  }

  /** Infinity without a quota. @param top the user's top folder */
  async roomLeftBytes(top: StoredNode): Promise<number> {
    return (await this.quotas.roomFor(top)).bytes;
  }

  async instanceId(): Promise<string> {
    return this.installation.instanceId();
  }
}
