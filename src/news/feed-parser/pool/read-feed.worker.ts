import type { FeedDocument, ParsedFeed } from '../parsed-feed.js';
import { readFeed } from '../read-feed.js';
import { answerDocuments } from './answer-documents.js';

answerDocuments(async (document: FeedDocument): Promise<ParsedFeed> => {
  const before = process.threadCpuUsage();
  const feed = await readFeed(document);
  const { user, system } = process.threadCpuUsage(before);
  return { ...feed, readMs: (user + system) / 1000 };
});
