import { answerDocuments } from '../../feed-parser/pool/answer-documents.js';
import { extractArticle } from './extract-article.js';

answerDocuments(extractArticle);
