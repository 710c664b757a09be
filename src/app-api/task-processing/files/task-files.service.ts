import { Injectable } from '@nestjs/common';
import mimeTypes from 'mime-types';
import { Readable } from 'node:stream';
import { Config } from '../../../common/config/config.js';
import { DiskSpace } from '../../../common/disk/disk-space.js';
import { FileContentsOffer, type FileContent } from '../../../common/ports/file-contents.js';
import { FileNodesOffer } from '../../../common/ports/file-nodes.js';
import { rasterTypeOf, SIGNATURE_BYTES } from '../../../common/raster-type.js';
import { MIB } from '../../../common/units.js';
import type { ProcessingTask } from '../queue/processing-task.entity.js';
import { ProcessingTasksRepository } from '../queue/processing-tasks.repository.js';
import { TaskQueue } from '../queue/task-queue.service.js';
import {
  ProcessingTaskNotFound,
  TaskFileNotFound,
  TaskFileTooLarge,
  TaskInputUnreadable,
} from '../task-processing.errors.js';
import { TaskProcessingSettings } from '../task-processing.settings.js';
import { inPieces } from './pieces.js';
import { TaskFilesRepository, type StoredTaskFile } from './task-files.repository.js';

/** A file that is being received. */
export interface ArrivingFile {
  readonly filename: string;
  readonly mime: string;
  readonly bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** The owner whose files may be read for a task: files of the user, and of tasks of the same owner. */
type Owner = Pick<ProcessingTask, 'userId' | 'consumer'>;

/** Ids from here on are files of tasks; files of users have lower ids. */
const FIRST_ID = 1_000_000_000_000;

const PIECE_BYTES = MIB;
const LONGEST_NAME = 255;
const ANY_TYPE = 'application/octet-stream';
const VAGUE_TYPES: ReadonlySet<string> = new Set([ANY_TYPE, 'text/plain']);

/**
 * Files of tasks: user files are read with the user's rights at that time; uploads of apps are stored with
 * the task and removed with it.
 * @see docs/app-api-tasks.md "Files of tasks"
 */
@Injectable()
export class TaskFilesService {
  readonly #largestMebibytes: number;
  readonly #mostFiles: number;

  constructor(
    private readonly files: TaskFilesRepository,
    private readonly tasks: ProcessingTasksRepository,
    private readonly nodes: FileNodesOffer,
    private readonly contents: FileContentsOffer,
    private readonly disk: DiskSpace,
    queue: TaskQueue,
    { limits }: Config,
    { largestTaskFileMib }: TaskProcessingSettings,
  ) {
    queue.onEnd(async ({ id, calledAppId }, tx) => {
      // A recording is of no use after its task; what apps fetch is kept for its consumer.
      if (calledAppId !== null) {
        await files.removeOf(id, tx);
      }
    });
    this.#largestMebibytes = largestTaskFileMib;
    this.#mostFiles = limits['files-per-task'];
  }

  /** @throws TaskInputUnreadable naming the first file that the owner may not read */
  async assertReadable(owner: Owner, fileIds: readonly number[]): Promise<void> {
    const ofTasks = await this.#stored(fileIds.filter((id) => id >= FIRST_ID));
    const ofUsers = fileIds.filter((id) => id < FIRST_ID);
    const nodes =
      owner.userId === null ? [] : ((await this.nodes.service?.find(owner.userId, ofUsers)) ?? []);
    const readable = new Set([
      ...nodes.filter(({ fileType }) => fileType === 'file').map(({ fileId }) => fileId),
      ...ofTasks.filter((file) => isOf(owner, file)).map(({ id }) => id),
    ]);
    const unreadable = fileIds.find((id) => !readable.has(id));
    if (unreadable !== undefined) {
      throw new TaskInputUnreadable(unreadable);
    }
  }

  /**
   * A file that the task names, or that its app uploaded.
   *
   * @throws TaskFileNotFound
   */
  async open(task: ProcessingTask, fileId: number): Promise<FileContent> {
    return TaskFileNotFound.unless(
      fileId >= FIRST_ID ? await this.#openStored(task, fileId) : await this.#openOwn(task, fileId),
      fileId,
    );
  }

  /**
   * As `open`, for the app that works on the task: not after its end.
   *
   * @throws ProcessingTaskNotFound, also if another app has claimed it; TaskFileNotFound
   */
  async openForProvider(appId: string, taskId: number, fileId: number): Promise<FileContent> {
    const task = await this.tasks.ofApp(appId, taskId);
    if (task === null || task.endedSeconds !== null) {
      throw new ProcessingTaskNotFound(taskId);
    }
    return this.open(task, fileId);
  }

  /**
   * Stores a file piece by piece while it arrives.
   *
   * @param appId the app that uploads a result; null for the input of a task that is being scheduled
   * @returns its id
   * @throws ProcessingTaskNotFound if the app has not claimed the task, or it has ended
   * @throws TooManyTaskFiles, TaskFileTooLarge, StorageFull
   */
  async receive(taskId: number, appId: string | null, file: ArrivingFile): Promise<number> {
    const name = nameOf(file.filename);
    const fileId = await this.files.create(
      { taskId, appId, name, mime: ANY_TYPE },
      this.#mostFiles,
    );
    try {
      const { sizeBytes, beginning } = await this.#store(taskId, fileId, file.bytes);
      const mime = mimeOf(file.mime, name, beginning);
      if (!(await this.files.complete(fileId, appId, { sizeBytes, mime }))) {
        throw new ProcessingTaskNotFound(taskId);
      }
      return fileId;
    } catch (error) {
      await this.files.remove(fileId);
      throw error;
    }
  }

  async #store(
    taskId: number,
    fileId: number,
    bytes: ArrivingFile['bytes'],
  ): Promise<{ readonly sizeBytes: number; readonly beginning: Uint8Array }> {
    let beginning: Uint8Array = new Uint8Array();
    let sizeBytes = 0;
    let place = 0;
    for await (const piece of inPieces(bytes, PIECE_BYTES)) {
      sizeBytes += piece.length;
      if (sizeBytes > this.#largestMebibytes * MIB) {
        throw new TaskFileTooLarge(this.#largestMebibytes);
      }
      await this.disk.assertRoomFor(piece.length);
      ProcessingTaskNotFound.unless(await this.files.addPiece(fileId, place, piece), taskId);
      beginning = place === 0 ? piece.subarray(0, SIGNATURE_BYTES) : beginning;
      place += 1;
    }
    return { sizeBytes, beginning };
  }

  async #openStored(task: ProcessingTask, fileId: number): Promise<FileContent | null> {
    const [file] = await this.#stored([fileId]);
    const isNamed = task.fileIds.includes(fileId);
    if (file === undefined || !(file.taskId === task.id || (isNamed && isOf(task, file)))) {
      return null;
    }
    const { name, mime, sizeBytes } = file;
    return {
      name,
      mime,
      sizeBytes,
      read: ({ start, end } = { start: 0, end: sizeBytes - 1 }) =>
        Readable.from(this.#bytes(fileId, start, end), { objectMode: false }),
    };
  }

  async #openOwn({ userId, fileIds }: ProcessingTask, fileId: number): Promise<FileContent | null> {
    const isNamed = userId !== null && fileIds.includes(fileId);
    return isNamed ? ((await this.contents.service?.find(userId, fileId)) ?? null) : null;
  }

  async *#bytes(fileId: number, start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let place = Math.floor(start / PIECE_BYTES); place * PIECE_BYTES <= end; place += 1) {
      const piece = await this.files.piece(fileId, place);
      if (piece === null) {
        throw new Error(`Piece ${place} of the file ${fileId} of a task is gone.`);
      }
      const offset = place * PIECE_BYTES;
      yield piece.subarray(Math.max(start - offset, 0), end - offset + 1);
    }
  }

  async #stored(ids: readonly number[]): Promise<StoredTaskFile[]> {
    return ids.length === 0 ? [] : this.files.find(ids);
  }
}

/** Tasks of an app itself belong together if the app is the same. */
function isOf(owner: Owner, file: StoredTaskFile): boolean {
  return (
    owner.userId === file.userId && (owner.userId !== null || owner.consumer === file.consumer)
  );
}

/** Untrusted: may be anything, a path included. */
function nameOf(filename: string): string {
  const name = filename
    .replace(/^.*[/\\]/s, '')
    .replace(/\p{C}/gu, '')
    .trim();
  return [...name].slice(0, LONGEST_NAME).join('') || 'file';
}

/**
 * As announced, if that says anything; else by the name, or by the content for pictures. Python's clients
 * often send neither a type nor a name, and a part without a type is text/plain.
 */
function mimeOf(announced: string, name: string, beginning: Uint8Array): string {
  const [plain = ANY_TYPE] = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(?=\s*(?:;|$))/.exec(announced) ?? [];
  if (!VAGUE_TYPES.has(plain)) {
    return plain.toLowerCase();
  }
  return rasterTypeOf(beginning) ?? (mimeTypes.lookup(name) || ANY_TYPE);
}
