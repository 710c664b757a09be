import { Injectable } from '@nestjs/common';
import { FolderAlreadyExists } from '../../news.errors.js';
import { FoldersService } from '../../reader/folders/folders.service.js';
import { StreamSetsRepository } from '../streams/stream-sets.repository.js';

/** Folders by the names with which this API refers to them. */
@Injectable()
export class FolderNames {
  constructor(
    private readonly folders: FoldersService,
    private readonly sets: StreamSetsRepository,
  ) {}

  /** @returns the id of the folder, which is created if there is none */
  async findOrCreate(userId: string, name: string): Promise<number> {
    const found = await this.sets.folderId(userId, name.trim());
    if (found !== null) {
      return found;
    }
    try {
      return (await this.folders.create(userId, name)).id;
    } catch (error) {
      const now =
        error instanceof FolderAlreadyExists ? await this.sets.folderId(userId, name.trim()) : null;
      if (now === null) {
        throw error;
      }
      return now;
    }
  }
}
