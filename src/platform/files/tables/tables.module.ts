import { Subject } from '../../../common/subjects/subject.js';
import * as blob from './blob.entity.js';
import * as node from './node.entity.js';
import * as trash from './trash.entity.js';
import * as upload from './upload.entity.js';

const FILES = [blob, node, trash, upload];

/** The data model of files, which all their subjects read. */
@Subject({ entities: FILES.flatMap((file) => Object.values(file)) })
export class FileTablesModule {}
