import { Injectable } from '@nestjs/common';
import { invalid } from '../../../common/errors/domain-error.js';
import { FolderAlreadyExists } from '../../news.errors.js';
import type { Reader } from '../../reader/delivery/reader-ids.repository.js';
import { FoldersService } from '../../reader/folders/folders.service.js';
import { LabelsService, type Label } from '../../reader/labels/labels.service.js';
import { SavedSearchesService } from '../../reader/search/saved-searches.service.js';
import { UnknownStream, labelNameOf } from '../stream-names.js';
import { StreamSetsRepository } from '../streams/stream-sets.repository.js';
import { StreamSetsService } from '../streams/stream-sets.service.js';

/** A name that is a folder, a label on items, or both. */
interface Tag {
  readonly folderId: number | null;
  readonly labelId: number | null;
}

class SearchIsNoLabel extends invalid(
  (name: string) => `"${name}" is a saved search, which finds its articles by itself.`,
) {}

/** Folders and labels on items, which this API names alike. */
@Injectable()
export class TagsService {
  constructor(
    private readonly folders: FoldersService,
    private readonly labels: LabelsService,
    private readonly sets: StreamSetsService,
    private readonly names: StreamSetsRepository,
    private readonly searches: SavedSearchesService,
  ) {}

  /** Names of folders; the labels of which no folder has the name, and the searches of which neither has. */
  async list(reader: Reader): Promise<{
    readonly folders: readonly string[];
    readonly labels: readonly Label[];
    readonly searches: readonly string[];
  }> {
    const folders = (await this.folders.list(reader)).map(({ name }) => name);
    const labels = await this.labels.list(reader);
    const taken = new Set(folders);
    const tags = new Set([...folders, ...labels.map(({ name }) => name)]);
    return {
      folders,
      labels: labels.filter(({ name }) => !taken.has(name)),
      searches: (await this.searches.namesInClients(reader)).filter((name) => !tags.has(name)),
    };
  }

  /** @throws SearchIsNoLabel for the name of a search that clients show as a label, and that is none */
  async assertLabels(reader: Reader, names: readonly string[]): Promise<void> {
    const searches = names.length === 0 ? [] : await this.searches.namesInClients(reader);
    for (const name of searches.filter((search) => names.includes(search))) {
      const { folderId, labelId } = await this.sets.tagNamed(reader, name);
      if (folderId === null && labelId === null) {
        throw new SearchIsNoLabel(name);
      }
    }
  }

  /**
   * Renames the folder, the label, or both.
   *
   * @throws UnknownStream
   */
  async rename(reader: Reader, stream: string, toStream: string): Promise<void> {
    const { folderId, labelId } = await this.#named(reader, stream);
    const name = labelNameOf(toStream) ?? toStream;
    if (folderId !== null) {
      await this.folders.rename(reader, folderId, name);
    }
    if (labelId !== null) {
      await this.labels.rename(reader, labelId, name);
    }
  }

  /**
   * Removes folders and labels, but neither feeds nor items.
   *
   * @throws UnknownStream naming the one that is not there; then nothing was removed
   */
  async remove(reader: Reader, streams: readonly string[]): Promise<void> {
    const tags: Tag[] = [];
    for (const stream of new Set(streams)) {
      tags.push(await this.#named(reader, stream));
    }
    for (const { folderId, labelId } of tags) {
      if (folderId !== null) {
        await this.folders.removeWithoutFeeds(reader, folderId);
      }
      if (labelId !== null) {
        await this.labels.remove(reader, labelId);
      }
    }
  }

  /** @returns the id of the folder, which is created if there is none */
  async findOrCreateFolder(reader: Reader, name: string): Promise<number> {
    const found = await this.names.folderId(reader.id, name.trim());
    if (found !== null) {
      return found;
    }
    try {
      return (await this.folders.create(reader, name)).id;
    } catch (error) {
      const now =
        error instanceof FolderAlreadyExists
          ? await this.names.folderId(reader.id, name.trim())
          : null;
      if (now === null) {
        throw error;
      }
      return now;
    }
  }

  /** @throws UnknownStream */
  async #named(reader: Reader, stream: string): Promise<Tag> {
    const tag = await this.sets.tagNamed(reader, labelNameOf(stream) ?? stream);
    if (tag.folderId === null && tag.labelId === null) {
      throw new UnknownStream(stream);
    }
    return tag;
  }
}
