import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../common/errors/domain-error.js';
import {
  AccountTransferParts,
  type TransferEntry,
  type TransferNotes,
  type TransferSource,
  type TransferWish,
} from '../../../common/ports/account-transfer.js';
import { FileChangesService } from '../changes/file-changes.service.js';
import { UploadsService } from '../changes/uploads.service.js';
import { BlobStore } from '../content/blob-store.service.js';
import { AlreadyExists, ConditionFailed } from '../files.errors.js';
import { isCompressed } from '../tree/file-kinds.js';
import { toFilePath, type FilePath } from '../tree/file-path.js';
import { FilesService } from '../tree/files.service.js';
import { NodesRepository } from '../tree/nodes.repository.js';
import type { StoredNode } from '../tree/nodes.sql.js';

const FOLDER = 'files/';
const NOT_OVERWRITTEN = { ifNoneMatch: '*', lists: [] } as const;

/** The files of a user in the archive of their account, with their times; and back. */
@Injectable()
export class FilesPart {
  constructor(
    private readonly files: FilesService,
    private readonly nodes: NodesRepository,
    private readonly blobs: BlobStore,
    private readonly uploads: UploadsService,
    private readonly changes: FileChangesService,
    parts: AccountTransferParts,
  ) {
    parts.addBulkyExport((...given) => this.#entries(...given));
    parts.addImport((...given) => this.#takeIn(...given));
  }

  async *#entries(
    { userId, withFiles }: TransferWish,
    notes: TransferNotes,
  ): AsyncGenerator<TransferEntry> {
    if (!withFiles) {
      notes.leaveOut('files', 'They were left out by choice.');
      return;
    }
    const { node } = await this.files.locate(userId, []);
    yield* this.#below(node, FOLDER, notes);
    notes.leaveOut('deleted files', 'The trash is not taken along.');
    notes.leaveOut(
      'favorites and other properties of files',
      'Only files and their times are here.',
    );
  }

  async *#below(
    folder: StoredNode,
    above: string,
    notes: TransferNotes,
  ): AsyncGenerator<TransferEntry> {
    for await (const members of this.nodes.members(folder, false)) {
      for (const member of members) {
        const { name, blobId, mime, mtimeSeconds, sizeBytes } = member;
        if (blobId === null) {
          yield { path: `${above}${name}/`, mtimeSeconds, open: null };
          yield* this.#below(member, `${above}${name}/`, notes);
          continue;
        }
        // Removed since: the list is not read in one moment.
        if ((await this.blobs.sizeOf(blobId)) === null) {
          continue;
        }
        notes.count('files');
        yield {
          path: above + name,
          mtimeSeconds,
          sizeBytes,
          isCompressed: isCompressed(mime),
          open: () => this.blobs.read(blobId),
        };
      }
    }
  }

  /** Files that are there already stay as they are. */
  async #takeIn(
    userId: string,
    source: TransferSource,
    leaveOut: TransferNotes['leaveOut'],
  ): Promise<void> {
    const folders = new Set<string>();
    for await (const { path, sizeBytes, mtimeSeconds, open } of source.files()) {
      const isFolder = path.endsWith('/');
      const names = path.slice(FOLDER.length, isFolder ? -1 : undefined).split('/');
      try {
        const target = toFilePath(names);
        await this.#makeFolders(userId, isFolder ? target : target.slice(0, -1), folders);
        if (!isFolder) {
          const body = await open();
          const preconditions = NOT_OVERWRITTEN;
          const upload = { body, sizeBytes, mtimeSeconds, checksum: undefined, preconditions };
          await this.uploads.upload(userId, target, upload);
        }
      } catch (error) {
        if (!(error instanceof DomainError)) {
          throw error;
        }
        const isThere = error instanceof ConditionFailed;
        if (!isThere) {
          leaveOut(path, error.message);
        } else if (!(await this.#isSame(userId, names, sizeBytes, mtimeSeconds))) {
          leaveOut(path, 'There is such a file already; it stays as it is.');
        }
      }
    }
  }

  /** Whether it may have come out of the archive, when a process was killed before its end. */
  async #isSame(
    userId: string,
    names: readonly string[],
    sizeBytes: number,
    mtimeSeconds: number,
  ): Promise<boolean> {
    const { node } = await this.nodes.resolve(userId, toFilePath(names));
    return node?.sizeBytes === sizeBytes && node.mtimeSeconds === mtimeSeconds;
  }

  /** @param known folders that are there */
  async #makeFolders(userId: string, path: FilePath, known: Set<string>): Promise<void> {
    for (let depth = 1; depth <= path.length; depth += 1) {
      const folder = path.slice(0, depth);
      if (!known.has(folder.join('/'))) {
        await this.changes.makeFolder(userId, folder, { lists: [] }).catch((error: unknown) => {
          if (!(error instanceof AlreadyExists)) {
            throw error;
          }
        });
        known.add(folder.join('/'));
      }
    }
  }
}
