import { FileBlobUnreferencedEntity } from './file-blob-unreferenced.entity.js';
import { FileLockEntity } from './file-lock.entity.js';
import { FileNodeEntity } from './file-node.entity.js';
import { FileRemovalEntity } from './file-removal.entity.js';
import { FileUploadEntity } from './file-upload.entity.js';
import { FileUploadPieceEntity } from './file-upload-piece.entity.js';
import { InstallationEntity } from './installation.entity.js';

/** Every table that this room owns. */
export const FILES_ENTITIES = [
  FileBlobUnreferencedEntity,
  FileLockEntity,
  FileNodeEntity,
  FileRemovalEntity,
  FileUploadEntity,
  FileUploadPieceEntity,
  InstallationEntity,
];
