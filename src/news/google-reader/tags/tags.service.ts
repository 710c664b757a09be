import { Injectable } from '@nestjs/common';
import { FolderAlreadyExists } from '../../news.errors.js';
import { FoldersService } from '../../reader/folders/folders.service.js';
import { LabelsService, type Label } from '../../reader/labels/labels.service.js';
import { UnknownStream, labelNameOf } from '../stream-names.js';
import { StreamSetsRepository } from '../streams/stream-sets.repository.js';
import { StreamSetsService } from '../streams/stream-sets.service.js';

/** A name that is a folder, a label on items, or both. */
interface Tag {
  readonly folderId: number | null;
  readonly labelId: number | null;
}

/** Folders and labels on items, which this API names alike. */
@Injectable()
export class TagsService {
  constructor(
    private readonly folders: FoldersService,
    private readonly labels: LabelsService,
    private readonly sets: StreamSetsService,
    private readonly names: StreamSetsRepository,
  ) {}

  /** Names of folders; and the labels of which no folder has the name. */
  async list(
    userId: string,
  ): Promise<{ readonly folders: readonly string[]; readonly labels: readonly Label[] }> {
    const folders = (await this.folders.list(userId)).map(({ name }) => name);
    const labels = await this.labels.list(userId);
    const taken = new Set(folders);
    return { folders, labels: labels.filter(({ name }) => !taken.has(name)) };
  }

  /**
   * Renames the folder, the label, or both.
   *
   * @throws UnknownStream
   */
  async rename(userId: string, stream: string, toStream: string): Promise<void> {
    const { folderId, labelId } = await this.#named(userId, stream);
    const name = labelNameOf(toStream) ?? toStream;
    if (folderId !== null) {
      await this.folders.rename(userId, folderId, name);
    }
    if (labelId !== null) {
      await this.labels.rename(userId, labelId, name);
    }
  }

  /**
   * Removes folders and labels, but neither feeds nor items.
   *
   * @throws UnknownStream naming the one that is not there; then nothing was removed
   */
  async remove(userId: string, streams: readonly string[]): Promise<void> {
    const tags: Tag[] = [];
    for (const stream of new Set(streams)) {
      tags.push(await this.#named(userId, stream));
    }
    for (const { folderId, labelId } of tags) {
      if (folderId !== null) {
        await this.folders.removeWithoutFeeds(userId, folderId);
      }
      if (labelId !== null) {
        await this.labels.remove(userId, labelId);
      }
    }
  }

  /** @returns the id of the folder, which is created if there is none */
  async findOrCreateFolder(userId: string, name: string): Promise<number> {
    const found = await this.names.folderId(userId, name.trim());
    if (found !== null) {
      return found;
    }
    try {
      return (await this.folders.create(userId, name)).id;
    } catch (error) {
      const now =
        error instanceof FolderAlreadyExists
          ? await this.names.folderId(userId, name.trim())
          : null;
      if (now === null) {
        throw error;
      }
      return now;
    }
  }

  /** @throws UnknownStream */
  async #named(userId: string, stream: string): Promise<Tag> {
    const tag = await this.sets.tagNamed(userId, labelNameOf(stream) ?? stream);
    if (tag.folderId === null && tag.labelId === null) {
      throw new UnknownStream(stream);
    }
    return tag;
  }
}
