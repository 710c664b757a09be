import { Subject } from '../../common/subjects/subject.js';
import * as articleAssistance from './article-assistance.entity.js';
import * as article from './article.entity.js';
import * as automation from './automation.entity.js';
import * as fetchHistory from './fetch-history.entity.js';
import * as folder from './folder.entity.js';
import * as fullText from './full-text.entity.js';
import * as icon from './icon.entity.js';
import * as item from './item.entity.js';
import * as newsEvent from './news-event.entity.js';
import * as reader from './reader.entity.js';
import * as schedule from './schedule.entity.js';
import * as source from './source.entity.js';
import * as subscription from './subscription.entity.js';
import * as websubLease from './websub-lease.entity.js';

const FILES = [
  articleAssistance,
  article,
  automation,
  fetchHistory,
  folder,
  fullText,
  icon,
  item,
  newsEvent,
  reader,
  schedule,
  source,
  subscription,
  websubLease,
];

/** The data model of the feed reader, which all its subjects read. */
@Subject({ entities: FILES.flatMap((file) => Object.values(file)) })
export class NewsTablesModule {}
