import { invalid } from '../../common/errors/domain-error.js';

/** The file or the database is not suitable. The message names the remedy. */
export class BackupRefused extends invalid() {}
