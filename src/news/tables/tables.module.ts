import { Subject } from '../../common/subjects/subject.js';
import * as article from './article.entity.js';
import * as assistance from './assistance.entity.js';
import * as board from './board.entity.js';
import * as earlyReader from './early-reader.entity.js';
import * as fetchHistory from './fetch-history.entity.js';
import * as fullText from './full-text.entity.js';
import * as groupFolder from './group-folder.entity.js';
import * as importedArticle from './imported-article.entity.js';
import * as item from './item.entity.js';
import * as newsEvent from './news-event.entity.js';
import * as reader from './reader.entity.js';
import * as rule from './rule.entity.js';
import * as savedSearch from './saved-search.entity.js';
import * as source from './source.entity.js';
import * as subscription from './subscription.entity.js';

const FILES = [
  article,
  assistance,
  board,
  earlyReader,
  fetchHistory,
  fullText,
  importedArticle,
  groupFolder,
  item,
  newsEvent,
  reader,
  savedSearch,
  rule,
  source,
  subscription,
];

/** The data model of the feed reader, which all its subjects read. */
@Subject({ entities: FILES.flatMap((file) => Object.values(file)) })
export class NewsTablesModule {}
