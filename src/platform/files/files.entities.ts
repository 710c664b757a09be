import { FileBlobUnreferencedEntity } from './content/file-blob-unreferenced.entity.js';
import { InstallationEntity } from './installation/installation.entity.js';
import { FileLockEntity } from './locks/file-lock.entity.js';
import { FileUploadPieceEntity } from './piecewise/file-upload-piece.entity.js';
import { FileUploadEntity } from './piecewise/file-upload.entity.js';
import { FileQuotaEntity } from './quotas/file-quota.entity.js';
import { FileBlobLeftoverEntity } from './stores/file-blob-leftover.entity.js';
import { FileBlobPlaceEntity } from './stores/file-blob-place.entity.js';
import { FileStoreEntity } from './stores/file-store.entity.js';
import { FileTrashEntity } from './trash/file-trash.entity.js';
import { FileNodeEntity } from './tree/file-node.entity.js';
import { FileRemovalEntity } from './tree/file-removal.entity.js';

/** Entities of all tables of this room. */
export const FILES_ENTITIES = [
  FileBlobLeftoverEntity,
  FileBlobPlaceEntity,
  FileBlobUnreferencedEntity,
  FileLockEntity,
  FileNodeEntity,
  FileQuotaEntity,
  FileRemovalEntity,
  FileStoreEntity,
  FileTrashEntity,
  FileUploadEntity,
  FileUploadPieceEntity,
  InstallationEntity,
];
