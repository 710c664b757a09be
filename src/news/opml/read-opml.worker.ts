import { answerDocuments } from '../feed-parser/pool/answer-documents.js';
import { readOpml } from './read-opml.js';

answerDocuments(({ bytes }) => readOpml(bytes));
