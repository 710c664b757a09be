import { answerDocuments } from '../../feed-parser/pool/answer-documents.js';
import { readPage } from './extract-article.js';

answerDocuments(readPage);
