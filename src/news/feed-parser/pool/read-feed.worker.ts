import { answerDocuments } from './answer-documents.js';
import { readFeed } from '../read-feed.js';

answerDocuments(readFeed);
