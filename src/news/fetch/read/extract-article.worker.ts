import { answerDocuments } from './answer-documents.js';
import { extractArticle } from './extract-article.js';

answerDocuments(extractArticle);
