import { FunctionsMigration } from './kinds.js';

/** Events of the reader are wished for by a function of news, which triggers of app-api call. */
export class Migration0108Functions extends FunctionsMigration {
  override name = '0108-functions';
}
