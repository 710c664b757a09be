import { Subject } from '../../../common/subjects/subject.js';
import {
  FileBlobLeftoverEntity,
  FileBlobPlaceEntity,
  FileBlobUnreferencedEntity,
  FileStoreEntity,
  InstallationEntity,
} from './blob.entity.js';
import { FileNodeEntity, FileRemovalEntity } from './node.entity.js';
import { FileTrashEntity } from './trash.entity.js';
import { FileUploadEntity, FileUploadPieceEntity } from './upload.entity.js';

/** The data model of files, which all their subjects read. */
@Subject({
  entities: [
    FileBlobLeftoverEntity,
    FileBlobPlaceEntity,
    FileBlobUnreferencedEntity,
    FileNodeEntity,
    FileRemovalEntity,
    FileStoreEntity,
    FileTrashEntity,
    FileUploadEntity,
    FileUploadPieceEntity,
    InstallationEntity,
  ],
})
export class FileTablesModule {}
